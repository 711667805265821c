// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "report/layout.h"
#include "report/needs.h"
#include "report/table.h"
#include "report/terminal_parts.h"
#include "report/wording.h"

namespace dryfit::report {

using verdict::Answer;
using verdict::Counting;
using verdict::Verdict;

namespace {

/// Failures come first, and a plain fit last.
int urgency(const Verdict& verdict) {
  constexpr Answer kOrder[] = {Answer::does_not_fit, Answer::cannot_tell, Answer::tight, Answer::fits};
  return static_cast<int>(std::ranges::find(kOrder, verdict.answer) - std::begin(kOrder));
}

std::vector<const Verdict*> failures_first(std::span<const Verdict> verdicts) {
  std::vector<const Verdict*> sorted;
  for (const auto& verdict : verdicts) sorted.push_back(&verdict);
  std::ranges::stable_sort(sorted, {}, [](const Verdict* each) { return urgency(*each); });
  return sorted;
}

std::string on_all(std::size_t count) { return count == 2 ? " on both" : fmt::format(" on all {}", count); }

/// "3 GPUs: ✘ does not fit on 1, ✔ fits on 2".
std::string summary(const std::vector<const Verdict*>& sorted, const Style& style) {
  std::string text = painted(fmt::format("{} GPUs:", sorted.size()), Paint::strong, style);
  for (auto each = sorted.begin(); each != sorted.end();) {
    const auto answer = (*each)->answer;
    const auto end = std::find_if(each, sorted.end(), [&](const Verdict* other) { return other->answer != answer; });
    text += each == sorted.begin() ? " " : ", ";
    text +=
        painted(fmt::format("{} {}", answer_glyph(answer, style), answer_text(answer)), answer_paint(answer), style);
    const auto count = static_cast<std::size_t>(end - each);
    text += count == sorted.size() ? on_all(count) : fmt::format(" on {}", count);
    each = end;
  }
  return text + "\n";
}

/// What a row of the table shows beyond the verdict.
struct Row {
  const Verdict* verdict;
  std::optional<Need> need;  ///< where it does not fit
};

std::string amount_text(const Row& row, const Style& style) {
  const auto& verdict = *row.verdict;
  if (row.need) return amount_of(row.need->amount, verdict.capacity, "~");
  if (const auto missing = verdict.answer == Answer::does_not_fit ? shortfall(verdict) : std::nullopt) {
    return amount_of(verdict.capacity + *missing, verdict.capacity, ">");
  }
  if (!verdict.device_used || !fitted(verdict.answer)) {
    return fmt::format("{} of {}", glyphs(style).none, to_text(verdict.capacity));
  }
  return amount_of(verdict.device_peak, verdict.capacity, "");
}

std::string row_bar(const Row& row, std::size_t cells, const Style& style) {
  const auto& verdict = *row.verdict;
  if (!verdict.device_used || verdict.answer == Answer::cannot_tell) return std::string(cells, ' ');
  return bar_text(row.need ? bar_of(verdict, row.need->amount) : bar_of(verdict), cells, style);
}

std::string moment_of_row(const Verdict& verdict, const Style& style) {
  if (verdict.oom) return "fails " + place_text(verdict.oom->at);
  if (!verdict.device_used || !fitted(verdict.answer)) return std::string(glyphs(style).none);
  return moment_text(verdict.peak_at);
}

std::vector<Cell> table_row(const Row& row, std::size_t bar, const Style& style) {
  const auto& verdict = *row.verdict;
  const bool has_headroom = fitted(verdict.answer) && verdict.headroom >= 0;
  return {{verdict.card.id},
          {fmt::format("{} {}", answer_glyph(verdict.answer, style), answer_text(verdict.answer)), Align::left, true,
           answer_paint(verdict.answer)},
          {row_bar(row, bar, style)},
          {amount_text(row, style), Align::right},
          {has_headroom ? headroom_of(verdict) : std::string(glyphs(style).none), Align::right},
          {moment_of_row(verdict, style)},
          {std::to_string(verdict.steps), Align::right},
          {duration_text(verdict.seconds), Align::right}};
}

std::vector<Cell> table_heading(std::size_t bar) {
  std::vector<Cell> cells{{"GPU"},
                          {"verdict"},
                          {padded_right("memory", bar)},
                          {"device peak", Align::right},
                          {"headroom", Align::right},
                          {"peak in"},
                          {"steps", Align::right},
                          {"time", Align::right}};
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = Paint::faint;
  }
  return cells;
}

/// With the widest bar and as many columns as the screen has room for; the first five are always there.
std::string verdict_table(const std::vector<Row>& shown, const Style& style) {
  constexpr std::size_t kBars[] = {24, 16, 12, 8, 6};
  constexpr std::size_t kColumns[] = {8, 6, 5};
  std::string text;
  for (const auto columns : kColumns) {
    for (const auto bar : kBars) {
      std::vector<std::vector<Cell>> rows{table_heading(bar)};
      for (const auto& row : shown) rows.push_back(table_row(row, bar, style));
      for (auto& row : rows) row.resize(columns);
      text = aligned(rows, style);
      if (widest_line(text) <= style.columns) return text;
    }
  }
  return text;
}

/// What the table has no room for: why it does not fit or why that is unknown, or what a fit rests on.
std::string detail(const Row& row, const Style& style) {
  const auto& verdict = *row.verdict;
  std::string text;
  if (row.need) text += wrapped(need_sentence(*row.need, verdict), "  ", "  ", style);
  text += reason_lines(verdict, style) + order_lines(verdict, style);
  if (!text.empty()) text = painted(verdict.card.id, Paint::strong, style) + "\n" + text;
  return text;
}

/// "rtx-3060-12gb, rtx-4060-8gb ± 20.0 MiB; a100-40gb ± 60.0 MiB"; without names where all agree.
std::string spreads_text(const std::vector<const Verdict*>& verdicts, bool named, const Style& style) {
  std::map<Bytes, std::string> ids;
  for (const auto* verdict : verdicts) {
    auto& list = ids[verdict->card.context_spread];
    list += (list.empty() ? "" : ", ") + verdict->card.id;
  }
  named |= ids.size() > 1;
  std::string text;
  for (const auto& [spread, list] : ids) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : "; ", named ? list + " " : "", glyphs(style).plus_minus,
                        to_text(spread));
  }
  return text;
}

/// How the device peak was obtained: with names of GPUs only where they differ.
std::string origins_line(std::span<const Verdict> verdicts, const Style& style) {
  std::map<Origin, std::vector<const Verdict*>> by_origin;
  for (const auto& verdict : verdicts) by_origin[verdict.outside_origin].push_back(&verdict);
  std::string text =
      verdicts.front().estimated ? "device peak: estimated; CUDA context: " : "device peak: counted; CUDA context: ";
  const char* separator = "";
  for (const auto& [origin, alike] : by_origin) {
    text += fmt::format("{}{} ({})", separator, context_origin_text(origin),
                        spreads_text(alike, by_origin.size() > 1, style));
    separator = ", ";
  }
  return wrapped(text, "", "  ", Paint::faint, style);
}

}  // namespace

std::string several_gpus_text(std::span<const Verdict> verdicts, const Style& style,
                              const std::optional<Counting>& counting) {
  const auto sorted = failures_first(verdicts);
  std::vector<Row> rows;
  std::string details;
  Diagnostics diagnostics;
  for (const auto* verdict : sorted) {
    rows.push_back({verdict, need_of(*verdict, verdicts)});
    details += detail(rows.back(), style);
    diagnostics.merge(verdict->diagnostics);
  }
  auto text = summary(sorted, style) + verdict_table(rows, style);
  if (!details.empty()) text += "\n" + details + "\n";
  // The same program on every GPU: what was assumed differs in sizes at most.
  const auto assuming = std::ranges::find_if(verdicts, [](const auto& each) { return !each.assumptions.empty(); });
  text += compute_lines(counting, "", style) + gap_lines(verdicts.front(), "", style);
  if (assuming != verdicts.end()) text += assumed_lines(*assuming, "", style);
  text += note_lines(diagnostics, "", style) + origins_line(verdicts, style);
  const auto limits = limits_table(sorted, style);
  return text + (limits.empty() ? "" : "\n" + limits);
}

}  // namespace dryfit::report
