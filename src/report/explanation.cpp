// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/bar.h"
#include "report/layout.h"
#include "report/table.h"
#include "report/wording.h"

namespace dryfit::report {
namespace {

using explain::By;
using explain::Category;
using explain::Explanation;
using explain::Share;

constexpr std::size_t kShareBar = 24;

std::string percent(Bytes part, Bytes whole) {
  const double share =
      whole.count == 0 ? 0 : 100.0 * static_cast<double>(part.count) / static_cast<double>(whole.count);
  return fmt::format("{:.1f} %", share);
}

/// The size of a request as in PyTorch's message: that of the segment it needs.
Bytes segment_size(Bytes requested) {
  using namespace literals;
  if (requested <= 1_MiB) return 2_MiB;
  return requested < 10_MiB ? 20_MiB : round_up(requested, 2_MiB);
}

analysis::Moment moment_of(const explain::Moment& moment) {
  return {moment.step, std::string(explain::to_text(moment.phase))};
}

std::vector<Cell> row(std::string name, Bytes size, Bytes of, std::string note) {
  std::vector<Cell> cells{{.text = "    " + std::move(name), .shrinks = true},
                          {to_text(size), Align::right},
                          {percent(size, of), Align::right, true, Paint::faint}};
  if (!note.empty()) cells.push_back({std::move(note), Align::left, true, Paint::faint});
  return cells;
}

/// With `brief`, small categories make one row together.
std::string categories(const Explanation& explanation, bool brief, const Style& style) {
  const auto& peak = explanation.peak;
  const auto outside = explanation.outside ? explanation.outside->sum() : Bytes{};
  const Bytes all = peak.reserved + outside;
  std::vector<std::vector<Cell>> rows;
  const auto add = [&](std::string_view name, Bytes bytes) {
    auto cells = row(std::string(name), bytes, all, "");
    cells.push_back({share_text(bytes, all, kShareBar, style)});
    rows.push_back(std::move(cells));
  };
  const auto is_small = [&](Bytes bytes) { return bytes.count > 0 && bytes.count < all.count / 100; };
  const auto small = static_cast<std::size_t>(std::ranges::count_if(peak.categories, is_small));
  Bytes rest;
  for (std::size_t i = 0; i < explain::kCategories; ++i) {
    const auto bytes = peak.categories[i];
    if (brief && small > 1 && is_small(bytes)) {
      rest += bytes;
    } else if (bytes.count > 0) {
      add(to_words(static_cast<Category>(i)), bytes);
    }
  }
  if (rest.count > 0) add(fmt::format("({} more)", small), rest);
  if (peak.cached.count > 0) add("cached by PyTorch, free", peak.cached);
  if (explanation.outside) add("outside PyTorch", outside);
  auto text = aligned(rows, style);
  if (explanation.peak_reserved > peak.reserved) {
    text += wrapped(fmt::format("Reserved memory peaked {} higher at another point.",
                                to_text(explanation.peak_reserved - peak.reserved)),
                    "    ", "    ", Paint::faint, style);
  }
  return text;
}

std::string owner_name(const Share& share, By by) {
  if (!share.name.empty()) return by == By::category ? std::string(share.name) : share.name;
  return by == By::module ? "(no module)" : "(unknown)";
}

std::string kinds_text(const Share& share) {
  const auto main = share.main();
  const auto most = share.categories[static_cast<std::size_t>(main)];
  const auto part =
      100.0 * static_cast<double>(most.count) / static_cast<double>(std::max<std::uint64_t>(share.bytes.count, 1));
  return part < 99.5 ? fmt::format("{:.0f} % {}", part, to_words(main)) : std::string(to_words(main));
}

std::vector<std::vector<Cell>> share_rows(const Explanation& explanation, const std::vector<Share>& shares, By by,
                                          std::size_t limit) {
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < shares.size() && i < limit; ++i) {
    const auto& share = shares[i];
    const auto name =
        share.modules > 1 ? fmt::format("{} ({})", owner_name(share, by), share.modules) : owner_name(share, by);
    rows.push_back(row(name, share.bytes, explanation.peak.allocated, by == By::category ? "" : kinds_text(share)));
  }
  return rows;
}

Bytes rest_of(const std::vector<Share>& shares, std::size_t limit) {
  Bytes rest;
  for (std::size_t i = limit; i < shares.size(); ++i) rest += shares[i].bytes;
  return rest;
}

nlohmann::ordered_json line_json(const Explanation& explanation, explain::LineId line) {
  if (line == explain::kNone) return nullptr;
  const auto& [file, number, function, is_library] = explanation.lines[line];
  return {{"file", explanation.name(file)}, {"line", number}, {"function", explanation.name(function)}};
}

nlohmann::ordered_json shares_json(const Explanation& explanation, By by, std::size_t limit) {
  auto result = nlohmann::ordered_json::array();
  const auto shares = shares_of(explanation, {.by = by, .each = true});
  for (const auto& share : shares) {
    if (limit > 0 && result.size() == limit) break;
    auto categories = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < explain::kCategories; ++i) {
      if (share.categories[i].count == 0) continue;
      categories[std::string(to_text(static_cast<Category>(i)))] = share.categories[i].count;
    }
    result.push_back({{std::string(explain::to_text(by)), share.name},
                      {"bytes", share.bytes.count},
                      {"allocations", share.allocations},
                      {"categories", categories}});
  }
  return result;
}

nlohmann::ordered_json categories_json(const Explanation& explanation) {
  std::array<Share, explain::kCategories> sums;
  for (const auto& share : shares_of(explanation, {.by = By::category})) {
    sums[static_cast<std::size_t>(share.main())] = share;
  }
  auto result = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < explain::kCategories; ++i) {
    result[std::string(to_text(static_cast<Category>(i)))] = {{"bytes", sums[i].bytes.count},
                                                              {"requested_bytes", sums[i].requested.count},
                                                              {"allocations", sums[i].allocations}};
  }
  return result;
}

}  // namespace

std::string peak_text(const Explanation& explanation) {
  const auto& peak = explanation.peak;
  const auto place = place_text(moment_of(peak));
  if (!explanation.failure) return fmt::format("{} allocated at the peak, {}", to_text(peak.allocated), place);
  const auto& failure = *explanation.failure;
  std::string where = failure.module == 0 ? "PyTorch" : explanation.name(failure.module);
  if (failure.line != explain::kNone) where += " at " + line_text(explanation, failure.line);
  return fmt::format("{} allocated {}, when {} failed to allocate {}", to_text(peak.allocated), place, where,
                     to_text(segment_size(failure.requested)));
}

std::string explanation_text(const Explanation& explanation, std::size_t owners, const Style& style) {
  auto text = wrapped("where the memory goes: " + peak_text(explanation), "  ", "    ", style);
  text += categories(explanation, owners > 0, style);
  if (explanation.processes > 1) {
    text += fmt::format("    in the largest of {} processes\n", explanation.processes);
  }
  const auto shares = shares_of(explanation, {.by = By::module});
  const auto rows = share_rows(explanation, shares, By::module, owners);
  if (!rows.empty()) text += "  largest owners of allocated memory\n" + aligned(rows, style);
  return text;
}

std::string shares_text(const Explanation& explanation, const explain::ShareOptions& options, std::size_t limit,
                        const Style& style) {
  const auto shares = shares_of(explanation, options);
  auto rows = share_rows(explanation, shares, options.by, limit);
  if (shares.size() > limit) {
    rows.push_back(
        row(fmt::format("({} more)", shares.size() - limit), rest_of(shares, limit), explanation.peak.allocated, ""));
  }
  return fmt::format("  by {}\n{}", explain::to_text(options.by), aligned(rows, style));
}

nlohmann::ordered_json explanation_json(const Explanation& explanation, std::size_t owners) {
  const auto& peak = explanation.peak;
  nlohmann::ordered_json result{
      {"at", {{"step", peak.step}, {"phase", explain::to_text(peak.phase)}, {"event", peak.event}}},
      {"allocated_bytes", peak.allocated.count},
      {"reserved_bytes", peak.reserved.count},
      {"cached_bytes", peak.cached.count},
      {"outside_bytes", nullptr},
      {"categories", categories_json(explanation)}};
  if (explanation.outside) result["outside_bytes"] = explanation.outside->sum().count;
  for (const auto by : {By::module, By::line, By::op}) {
    result["by_" + std::string(explain::to_text(by))] = shares_json(explanation, by, owners);
  }
  result["failure"] = nullptr;
  if (explanation.failure) {
    result["failure"] = {{"requested_bytes", explanation.failure->requested.count},
                         {"module", explanation.name(explanation.failure->module)},
                         {"at", line_json(explanation, explanation.failure->line)}};
  }
  result["processes"] = explanation.processes;
  result["marks"] = explanation.has_marks;
  return result;
}

}  // namespace dryfit::report
