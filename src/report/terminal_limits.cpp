// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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
  const auto fraction = verdict::fraction_for(cap, verdict.card.total_memory);
  return fraction ? fmt::format("fraction {}", verdict::fraction_text(*fraction)) : "more than this GPU has";
}

std::vector<Cell> limit_row(const char* name, Bytes size, std::string note) {
  return {
      {fmt::format("    {}", name)}, {to_text(size), Align::right}, {std::move(note), Align::left, true, Paint::faint}};
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

std::string limits_line(std::span<const Verdict> verdicts, const Style& style) {
  std::string list;
  bool is_bound = false;
  for (const auto& verdict : verdicts) {
    if (!verdict.limits) continue;
    is_bound |= !verdict.limits->upper_bound_because.empty();
    list += fmt::format("{}{} {} ({})", list.empty() ? "" : "; ", verdict.card.id, to_text(verdict.limits->least_cap),
                        fraction_note(verdict.limits->least_cap, verdict));
  }
  if (list.empty()) return "";
  return wrapped(
      fmt::format("least cap on PyTorch's allocator, by replay{}: {}", is_bound ? " (an upper bound)" : "", list), "",
      "  ", Paint::faint, style);
}

}  // namespace dryfit::report
