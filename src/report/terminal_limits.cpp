// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "report/layout.h"
#include "report/table.h"
#include "report/terminal_parts.h"

namespace dryfit::report {

using verdict::Limits;
using verdict::Verdict;

namespace {

std::string source_text(const Limits& limits) {
  return limits.source == verdict::LimitSource::replay ? "by replay" : "by dry runs";
}

/// "fraction 0.4787"
std::string fraction_note(Bytes cap, const Verdict& verdict) {
  const auto fraction = verdict::fraction_for(cap, verdict.capacity);
  return fraction ? fmt::format("fraction {}", verdict::fraction_text(*fraction)) : "more than this GPU has";
}

std::vector<Cell> limit_row(const char* name, Bytes size, std::string note) {
  return {
      {fmt::format("    {}", name)}, {to_text(size), Align::right}, {std::move(note), Align::left, true, Paint::faint}};
}

/// The heading of a table of limits; `comfortable`: with the comfortable caps.
std::vector<Cell> limits_heading(const std::string& source, bool comfortable) {
  std::vector<Cell> cells{{"limits, " + source}, {"to request", Align::right}};
  if (comfortable) cells.insert(cells.end(), {{"comfortable cap", Align::right}, {"fraction", Align::right}});
  cells.insert(cells.end(), {{"least cap", Align::right}, {"fraction", Align::right}});
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = Paint::faint;
  }
  return cells;
}

Cell fraction_cell(Bytes cap, const Verdict& verdict) {
  const auto fraction = verdict::fraction_for(cap, verdict.capacity);
  return {fraction ? verdict::fraction_text(*fraction) : "over 1", Align::right};
}

std::vector<Cell> limits_row(const Verdict& verdict, bool comfortable, const Style& style) {
  const auto& limits = *verdict.limits;
  std::vector<Cell> cells{{verdict.card.id}, {to_text(limits.to_request), Align::right}};
  if (comfortable) {
    cells.push_back({to_text(limits.comfortable_cap), Align::right});
    cells.push_back(fraction_cell(limits.comfortable_cap, verdict));
  }
  const auto bound = limits.upper_bound_because.empty() ? "" : fmt::format("{} ", glyphs(style).at_most);
  cells.push_back({bound + to_text(limits.least_cap), Align::right});
  cells.push_back(fraction_cell(limits.least_cap, verdict));
  return cells;
}

}  // namespace

std::string limit_lines(const Verdict& verdict, const Style& style) {
  if (!verdict.limits) return "";
  const auto& limits = *verdict.limits;
  const std::vector<std::vector<Cell>> rows{
      limit_row("to request", limits.to_request, "of the GPU, to run as when alone"),
      limit_row("comfortable cap", limits.comfortable_cap,
                fraction_note(limits.comfortable_cap, verdict) + ", without a retry"),
      limit_row("least cap", limits.least_cap, fraction_note(limits.least_cap, verdict))};
  auto text = wrapped(fmt::format("limits, {} (a cap is on PyTorch's allocator)", source_text(limits)), "  ", "    ",
                      Paint::faint, style) +
              aligned(rows, style);
  if (limits.upper_bound_because.empty()) return text;
  return text + wrapped(fmt::format("the least cap is an upper bound: {}", limits.upper_bound_because), "    ",
                        "      ", Paint::faint, style);
}

std::string limits_table(const std::vector<const Verdict*>& verdicts, const Style& style) {
  std::vector<const Verdict*> limited;
  std::ranges::copy_if(verdicts, std::back_inserter(limited),
                       [](const Verdict* each) { return each->limits.has_value(); });
  if (limited.empty()) return "";
  std::string text;
  for (const bool comfortable : {true, false}) {
    std::vector<std::vector<Cell>> rows{limits_heading(source_text(*limited.front()->limits), comfortable)};
    for (const auto* verdict : limited) rows.push_back(limits_row(*verdict, comfortable, style));
    text = aligned(rows, style);
    if (widest_line(text) <= style.columns) break;
  }
  return text;
}

}  // namespace dryfit::report
