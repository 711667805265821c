// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "replay_report.h"
#include "report/table.h"

namespace dryfit::cli {
namespace {

using report::Align;
using report::Cell;
using report::Paint;
using report::Style;
using whatif::Fit;

std::string conf_text(const std::string& alloc_conf) { return alloc_conf.empty() ? "default" : alloc_conf; }

/// 400,000
std::string count_text(std::uint64_t count) {
  if (count < 1000) return std::to_string(count);
  return fmt::format("{},{:03}", count_text(count / 1000), count % 1000);
}

std::string where_text(const snapshot::Snapshot& snapshot, snapshot::StackId stack) {
  const auto* frame = snapshot.user_frame(stack);
  if (!frame) return "";
  const auto file = frame->filename.substr(frame->filename.rfind('/') + 1);
  return fmt::format("{}:{} in {}", file, frame->line, frame->name);
}

std::string fit_text(Fit fit) {
  switch (fit) {
    case Fit::fits:
      return "fits";
    case Fit::tight:
      return "fits, tight";
    case Fit::does_not_fit:
      return "does not fit";
    case Fit::cannot_tell:
      break;
  }
  return "cannot tell";
}

Cell fit_cell(std::optional<Fit> fit, const Style& style) {
  const auto& signs = report::glyphs(style);
  if (!fit) return {std::string(signs.none)};
  const auto [sign, paint] = *fit == Fit::fits           ? std::pair(signs.yes, Paint::good)
                             : *fit == Fit::tight        ? std::pair(signs.tight, Paint::doubtful)
                             : *fit == Fit::does_not_fit ? std::pair(signs.no, Paint::bad)
                                                         : std::pair(signs.unknown, Paint::doubtful);
  return {fmt::format("{} {}", sign, fit_text(*fit)), Align::left, true, paint};
}

std::string headroom_text(const ReplayRow& row, const Style& style) {
  const bool fits = row.answer.fit == Fit::fits || row.answer.fit == Fit::tight;
  if (!row.card || !fits || row.answer.device_peak > row.card->total_memory) {
    return std::string(report::glyphs(style).none);
  }
  return to_text(row.card->total_memory - row.answer.device_peak);
}

std::vector<Cell> heading(std::vector<std::string> left, std::vector<std::string> right) {
  std::vector<Cell> cells;
  for (auto& text : left) cells.push_back({std::move(text), Align::left, true, Paint::faint});
  for (auto& text : right) cells.push_back({std::move(text), Align::right, true, Paint::faint});
  return cells;
}

/// What PyTorch's allocator did: the columns of both tables.
void add_numbers(std::vector<Cell>& cells, const whatif::Outcome& outcome) {
  cells.push_back({to_text(outcome.peak_reserved), Align::right});
  cells.push_back({to_text(outcome.peak_allocated), Align::right});
  cells.push_back({to_text(outcome.fragmentation()), Align::right});
  cells.push_back({to_text(outcome.largest_free_at_peak), Align::right});
  cells.push_back({std::to_string(outcome.alloc_retries), Align::right});
}

std::vector<Cell> card_cells(const ReplayRow& row, const Style& style) {
  const std::string none(report::glyphs(style).none);
  std::vector<Cell> cells{{row.card ? row.card->id : "no card"},
                          fit_cell(row.answer.fit, style),
                          {row.card ? to_text(row.answer.device_peak) : none, Align::right},
                          {row.card ? to_text(row.card->total_memory) : none, Align::right},
                          {headroom_text(row, style), Align::right}};
  add_numbers(cells, row.answer.outcome);
  return cells;
}

std::string cards_table(const ReplayReport& report, const Style& style) {
  std::vector<std::vector<Cell>> rows{
      heading({"card", "verdict"},
              {"device peak", "of", "headroom", "reserved", "allocated", "free at peak", "largest free", "retries"})};
  for (const auto& row : report.rows) rows.push_back(card_cells(row, style));
  return report::aligned(rows, style);
}

bool has_several_cards(const ReplayReport& report) {
  const auto id = [](const ReplayRow& row) { return row.card ? row.card->id : ""; };
  return std::ranges::any_of(report.rows, [&](const auto& row) { return id(row) != id(report.rows.front()); });
}

std::string sweep_table(const ReplayReport& report, const Style& style) {
  const bool several = has_several_cards(report);
  std::vector<std::vector<Cell>> rows{heading({"card", "configuration", "verdict"},
                                              {"reserved", "allocated", "free at peak", "largest free", "retries"})};
  for (const auto& row : report.rows) {
    std::vector<Cell> cells{
        {row.card ? row.card->id : "no card"}, {conf_text(row.alloc_conf)}, fit_cell(row.answer.fit, style)};
    add_numbers(cells, row.answer.outcome);
    if (row.is_best) cells.push_back({"best", Align::left, true, Paint::good});
    rows.push_back(std::move(cells));
  }
  if (!several) {
    for (auto& row : rows) row.erase(row.begin());
  }
  return report::aligned(rows, style);
}

/// As seen from the current folder, where that is shorter.
std::string short_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto near = std::filesystem::proximate(path, error).string();
  return !error && near.size() < path.string().size() ? near : path.string();
}

std::string origin_text(const ReplayReport& report) {
  const auto& recording = *report.recording;
  std::string text =
      fmt::format("{}: {} events", short_path(report.source->file), count_text(recording.entries().size()));
  if (recording.start.empty()) {
    text += " from its beginning";
  } else {
    text += fmt::format(", begun with {} reserved", to_text(recording.reserved_at_start()));
  }
  text += fmt::format("; torch {}{}, {}", report.torch_known ? "" : "not known, taken as ", to_text(recording.torch),
                      conf_text(recording.alloc_conf));
  if (const auto* card = report.source->card(recording.device)) text += fmt::format(", {}", card->id);
  if (report.devices > 1) {
    text += fmt::format("; device {}{} of {}", recording.device, report.device_asked ? "" : ", the fullest",
                        report.devices);
  }
  return text;
}

std::string played_text(const ReplayReport& report) {
  std::string text = fmt::format("played as torch {}", to_text(report.torch));
  const auto& first = report.rows.front();
  if (!report.swept) text += fmt::format(", {}", conf_text(first.alloc_conf));
  if (report.swept && first.card && !has_several_cards(report)) text += fmt::format(" on {}", first.card->id);
  if (report.fraction) text += fmt::format(", at most {} of the card", *report.fraction);
  return text;
}

std::string failure_text(const ReplayReport& report, const whatif::Refusal& refusal) {
  const auto where = where_text(*report.recording->snapshot, refusal.at.stack);
  const auto why = refusal.limit
                       ? fmt::format("it may reserve {} and has {}", to_text(*refusal.limit), to_text(refusal.reserved))
                       : to_text(refusal.device_free) + " are free";
  return fmt::format("PyTorch runs out of {}: asks for {} more in event {} of {}{}; {}",
                     refusal.limit ? "what it is allowed" : "device memory", to_text(refusal.requested),
                     count_text(refusal.at.entry + 1), count_text(report.recording->entries().size()),
                     where.empty() ? "" : " at " + where, why);
}

/// What the table has no room for: of each card, and of a sweep only of its best.
std::string details(const ReplayReport& report, const Style& style) {
  std::string text;
  for (const auto& row : report.rows) {
    if (report.swept && !row.is_best) continue;
    std::string lines;
    const auto& outcome = row.answer.outcome;
    if (outcome.out_of_memory) lines += "  " + failure_text(report, *outcome.out_of_memory) + "\n";
    const auto where = where_text(*report.recording->snapshot, outcome.peak_at.stack);
    if (!outcome.out_of_memory) {
      lines += fmt::format("  peak in event {} of {}{}\n", count_text(outcome.peak_at.entry + 1),
                           count_text(report.recording->entries().size()), where.empty() ? "" : ", at " + where);
    }
    for (const auto& caveat : row.answer.caveats)
      lines += fmt::format("  {} {}\n", caveat.decides ? "but" : "note:", caveat.text);
    if (lines.empty()) continue;
    const auto title = row.card ? row.card->id : "no card";
    text += report::painted(report.swept ? title + ", " + conf_text(row.alloc_conf) : title, Paint::strong, style) +
            "\n" + lines;
  }
  return text;
}

std::string best_text(const ReplayRow& best, const ReplayRow& of_default, const Style& style) {
  const auto lowest = best.answer.outcome.peak_reserved;
  const auto usual = of_default.answer.outcome.peak_reserved;
  const bool is_less = !of_default.answer.outcome.out_of_memory && lowest < usual;
  return fmt::format("best with {}, {}{}\n", report::painted(conf_text(best.alloc_conf), Paint::strong, style),
                     to_text(lowest),
                     is_less ? fmt::format(": {} less than the default", to_text(usual - lowest)) : "");
}

/// What the sweep is for, card by card; the default comes first of a card's rows.
std::string conclusion(const ReplayReport& report, const Style& style) {
  std::string text;
  const auto is_default = [](const ReplayRow& row) { return row.alloc_conf.empty(); };
  for (auto of_card = report.rows.begin(); of_card != report.rows.end();) {
    const auto end = std::find_if(of_card + 1, report.rows.end(), is_default);
    const auto best = std::find_if(of_card, end, [](const auto& row) { return row.is_best; });
    const auto title = of_card->card ? of_card->card->id + ": " : "";
    text += best == end ? title + "no configuration fits\n" : title + best_text(*best, *of_card, style);
    of_card = end;
  }
  return text;
}

std::string outside_line(const ReplayReport& report, const Style& style) {
  std::string list;
  for (const auto& row : report.rows) {
    if (!row.card || (report.swept && !row.is_best)) continue;
    list += fmt::format("{}{} {} {} {}", list.empty() ? "" : ", ", row.card->id, to_text(row.outside.estimate),
                        report::glyphs(style).plus_minus, to_text(row.outside.high - row.outside.estimate));
  }
  if (list.empty()) return "";
  return report::painted("device peak = PyTorch reserved, simulated, + what is outside, estimated: " + list,
                         Paint::faint, style) +
         "\n";
}

std::string note_lines(const ReplayReport& report, const Style& style) {
  std::string text;
  auto diagnostics = report.source->snapshot.diagnostics;
  diagnostics.merge(report.recording->diagnostics);
  for (const auto& [name, count] : diagnostics.counts()) {
    text +=
        report::painted(fmt::format("note: {} {}{}", name, report::glyphs(style).times, count), Paint::faint, style) +
        "\n";
  }
  return text;
}

}  // namespace

std::string replay_text(const ReplayReport& report, const Style& style) {
  return report::painted(origin_text(report) + "\n" + played_text(report), Paint::faint, style) + "\n" +
         (report.swept ? sweep_table(report, style) + conclusion(report, style) : cards_table(report, style)) +
         details(report, style) + note_lines(report, style) + outside_line(report, style);
}

}  // namespace dryfit::cli
