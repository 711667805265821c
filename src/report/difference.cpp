// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/table.h"

namespace dryfit::report {
namespace {

using explain::Change;
using explain::Difference;
using Json = nlohmann::ordered_json;

struct Table {
  const char* title;
  const std::vector<Change>& changes;
};

std::string percent(const Change& change) {
  if (change.before.count == 0) return change.after.count == 0 ? "" : "new";
  if (change.after.count == 0) return "gone";
  return fmt::format("{:+.1f} %", 100.0 * static_cast<double>(change.by()) / static_cast<double>(change.before.count));
}

Paint paint_of(std::int64_t change) { return change > 0 ? Paint::bad : change < 0 ? Paint::good : Paint::faint; }

/// "optimizer_state" as people write it; "(unknown)" for a missing name.
std::string shown(const std::string& name) {
  if (name.empty()) return "(unknown)";
  std::string text = name;
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::vector<Cell> row(const Change& change, const std::string& name) {
  return {{.text = "  " + name, .shrinks = true},
          {to_text(change.before), Align::right},
          {to_text(change.after), Align::right},
          {change_text(change.by()), Align::right, true, paint_of(change.by())},
          {percent(change), Align::right, true, Paint::faint}};
}

/// The sum of the rows that are left out.
Change rest_of(const std::vector<Change>& changes, std::size_t limit) {
  Change rest{fmt::format("({} more)", changes.size() - limit), {}, {}};
  for (std::size_t i = limit; i < changes.size(); ++i) {
    rest.before += changes[i].before;
    rest.after += changes[i].after;
  }
  return rest;
}

std::vector<Change> first_of(const std::vector<Change>& changes, std::size_t limit) {
  std::vector<Change> result(changes.begin(),
                             changes.begin() + static_cast<std::ptrdiff_t>(std::min(limit, changes.size())));
  if (changes.size() > limit) result.push_back(rest_of(changes, limit));
  return result;
}

std::vector<Table> owners(const Difference& difference) {
  return {{"module", difference.modules}, {"line", difference.lines}, {"operator", difference.operators}};
}

std::string name_of(const Change& change) { return change.name.empty() ? "(unknown)" : change.name; }

/// An unescaped pipe would begin a new cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string markdown_row(const std::string& name, const Change& change) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, to_text(change.before), to_text(change.after),
                     change_text(change.by()), percent(change));
}

std::string markdown_heading(const char* what) {
  return fmt::format("| {} | before | after | change | |\n|---|--:|--:|--:|--:|\n", what);
}

Json change_json(const Change& change) {
  return {{"before_bytes", change.before.count}, {"after_bytes", change.after.count}, {"change_bytes", change.by()}};
}

Json changes_json(const char* key, const std::vector<Change>& changes) {
  auto list = Json::array();
  for (const auto& change : changes) {
    auto entry = change_json(change);
    Json named{{key, change.name}};
    named.update(entry);
    list.push_back(std::move(named));
  }
  return list;
}

}  // namespace

std::string change_text(std::int64_t bytes) {
  const auto size = to_text(Bytes{static_cast<std::uint64_t>(std::llabs(bytes))});
  return bytes == 0 ? size : fmt::format("{}{}", bytes > 0 ? '+' : '-', size);
}

std::string difference_text(const Difference& difference, std::size_t limit, const Style& style) {
  std::vector<std::vector<Cell>> rows{{{"at the peak", Align::left, true, Paint::faint},
                                       {"before", Align::right, true, Paint::faint},
                                       {"after", Align::right, true, Paint::faint},
                                       {"change", Align::right, true, Paint::faint}},
                                      row(difference.allocated, "allocated")};
  for (const auto& change : difference.categories) rows.push_back(row(change, "  " + shown(change.name)));
  rows.push_back(row(difference.reserved, "reserved by PyTorch"));
  if (difference.outside.before.count + difference.outside.after.count > 0) {
    rows.push_back(row(difference.outside, "outside PyTorch"));
  }
  auto text = aligned(rows, style);
  for (const auto& [title, changes] : owners(difference)) {
    if (changes.empty()) continue;
    rows.clear();
    for (const auto& change : first_of(changes, limit)) rows.push_back(row(change, name_of(change)));
    text += fmt::format("by {}\n{}", title, aligned(rows, style));
  }
  return text;
}

std::string difference_markdown(const Difference& difference, std::size_t limit) {
  const auto& all = difference.allocated;
  auto text = fmt::format("**GPU memory at the peak: {} → {} ({})**\n\n", to_text(all.before), to_text(all.after),
                          change_text(all.by()));
  text += markdown_heading("category");
  for (const auto& change : difference.categories) text += markdown_row(shown(change.name), change);
  text += markdown_row("**allocated**", all) + markdown_row("reserved by PyTorch", difference.reserved);
  for (const auto& [title, changes] : owners(difference)) {
    if (changes.empty()) continue;
    text += fmt::format("\n<details><summary>by {}</summary>\n\n{}", title, markdown_heading(title));
    for (const auto& change : first_of(changes, limit)) {
      text += markdown_row(fmt::format("`{}`", cell(name_of(change))), change);
    }
    text += "\n</details>\n";
  }
  return text;
}

std::string difference_json(const Difference& difference) {
  const Json json{{"allocated", change_json(difference.allocated)},
                  {"reserved", change_json(difference.reserved)},
                  {"outside", change_json(difference.outside)},
                  {"by_category", changes_json("category", difference.categories)},
                  {"by_module", changes_json("module", difference.modules)},
                  {"by_line", changes_json("line", difference.lines)},
                  {"by_operator", changes_json("operator", difference.operators)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dryfit::report
