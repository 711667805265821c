// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "replay_report.h"
#include "report/bar.h"
#include "report/layout.h"
#include "report/needs.h"
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

Cell faint(std::string text, Align align = Align::left) { return {std::move(text), align, true, Paint::faint}; }

/// What PyTorch's allocator did, by name. The first are the most important ones.
std::vector<std::pair<const char*, std::string>> numbers_of(const whatif::Outcome& outcome) {
  return {{"reserved", to_text(outcome.peak_reserved)},
          {"retries", std::to_string(outcome.alloc_retries)},
          {"free at peak", to_text(outcome.fragmentation())},
          {"allocated", to_text(outcome.peak_allocated)},
          {"largest free", to_text(outcome.largest_free_at_peak)}};
}

/// The first `count` of these columns: their names and those of one row.
void add_number_names(std::vector<Cell>& cells, std::size_t count) {
  const auto names = numbers_of({});
  for (std::size_t i = 0; i < count; ++i) cells.push_back(faint(names[i].first, Align::right));
}
void add_numbers(std::vector<Cell>& cells, const whatif::Outcome& outcome, std::size_t count) {
  const auto numbers = numbers_of(outcome);
  for (std::size_t i = 0; i < count; ++i) cells.push_back({numbers[i].second, Align::right});
}
constexpr std::size_t kAllNumbers = 5;

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, report::width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

/// Peak and GPU; where a request fails, the memory at that point and the request.
std::string memory_bar(const ReplayRow& row, std::size_t cells, const Style& style) {
  const auto& outcome = row.answer.outcome;
  report::Bar bar{
      .parts = {{report::Fill::torch, outcome.peak_reserved}, {report::Fill::outside, row.outside.estimate}},
      .limit = row.card->total_memory,
      .used = fit_cell(row.answer.fit, style).paint};
  if (const auto& refusal = outcome.out_of_memory) {
    bar.parts.front().size = refusal->reserved;
    bar.parts.push_back({report::Fill::request, refusal->requested});
  }
  return report::bar_text(bar, cells, style);
}

constexpr std::size_t kBar = 12;

std::vector<Cell> card_cells(const ReplayRow& row, const Style& style) {
  return {{row.card->id},
          fit_cell(row.answer.fit, style),
          {memory_bar(row, kBar, style)},
          {report::amount_of(row.answer.device_peak, row.card->total_memory, ""), Align::right},
          {headroom_text(row, style), Align::right}};
}

std::vector<Cell> card_names() {
  return {faint("GPU"), faint("verdict"), faint(report::padded_right("memory", kBar)),
          faint("device peak", Align::right), faint("headroom", Align::right)};
}

/// Without a GPU there are only the numbers of the allocator.
std::string numbers_table(const ReplayRow& row, const Style& style) {
  std::vector<std::vector<Cell>> rows(2);
  add_number_names(rows[0], kAllNumbers);
  add_numbers(rows[1], row.answer.outcome, kAllNumbers);
  return report::aligned(rows, style);
}

std::string numbers_line(const whatif::Outcome& outcome, const Style& style) {
  auto text = fmt::format("reserved {}, with {} free at that moment (largest block {}); allocated {}",
                          to_text(outcome.peak_reserved), to_text(outcome.fragmentation()),
                          to_text(outcome.largest_free_at_peak), to_text(outcome.peak_allocated));
  if (outcome.alloc_retries > 0) text += fmt::format("; retries {}", outcome.alloc_retries);
  return report::wrapped(text, "  ", "    ", Paint::faint, style);
}

/// One line per GPU; two where the screen is too narrow for all columns.
std::string cards_table(const ReplayReport& report, const Style& style) {
  if (!report.rows.front().card) return numbers_table(report.rows.front(), style);
  std::vector<std::vector<Cell>> rows{card_names()};
  for (const auto& row : report.rows) rows.push_back(card_cells(row, style));
  auto wide = rows;
  add_number_names(wide.front(), kAllNumbers);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    add_numbers(wide[i + 1], report.rows[i].answer.outcome, kAllNumbers);
  }
  if (auto text = report::aligned(wide, style); widest_line(text) <= style.columns) return text;
  const auto lines = report::aligned(rows, style);
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; at < lines.size(); ++i) {
    const auto end = lines.find('\n', at) + 1;
    text += lines.substr(at, end - at);
    if (i > 0) text += numbers_line(report.rows[i - 1].answer.outcome, style);
    at = end;
  }
  return text;
}

bool has_several_cards(const ReplayReport& report) {
  const auto id = [](const ReplayRow& row) { return row.card ? row.card->id : ""; };
  return std::ranges::any_of(report.rows, [&](const auto& row) { return id(row) != id(report.rows.front()); });
}

/// A configuration in lines; in several where it has several options and `splits`.
std::vector<std::string> conf_lines(const std::string& alloc_conf, bool splits) {
  const auto text = conf_text(alloc_conf);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto comma = splits ? text.find(',', at) : std::string::npos;
    const auto end = comma == std::string::npos ? text.size() : comma + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

struct SweepLayout {
  std::size_t numbers = kAllNumbers;
  bool splits = false;
};

using Rows = std::span<const ReplayRow>;

std::string sweep_block(Rows of_card, const SweepLayout& layout, const Style& style) {
  const bool has_card = of_card.front().card.has_value();
  std::vector<std::vector<Cell>> rows(1);
  rows[0].push_back({""});
  if (has_card) rows[0].push_back(faint("verdict"));
  add_number_names(rows[0], layout.numbers);
  rows[0].push_back(faint("configuration"));
  for (const auto& row : of_card) {
    const auto lines = conf_lines(row.alloc_conf, layout.splits);
    std::vector<Cell> cells;
    cells.push_back({row.is_best ? std::string(report::glyphs(style).arrow) : "", Align::left, true, Paint::good});
    if (has_card) cells.push_back(fit_cell(row.answer.fit, style));
    add_numbers(cells, row.answer.outcome, layout.numbers);
    const auto before = cells.size();
    cells.push_back({lines.front(), Align::left, row.is_best});
    rows.push_back(std::move(cells));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      rows.emplace_back(before, Cell{""});
      rows.back().push_back({lines[i], Align::left, row.is_best});
    }
  }
  return report::aligned(rows, style);
}

/// The rows of each GPU.
std::vector<Rows> by_card(const ReplayReport& report) {
  std::vector<Rows> blocks;
  const auto id = [](const ReplayRow& row) { return row.card ? row.card->id : ""; };
  const auto end = report.rows.end();
  for (auto begin = report.rows.begin(); begin != end;) {
    const auto next = std::find_if(begin, end, [&](const auto& row) { return id(row) != id(*begin); });
    blocks.emplace_back(begin, next);
    begin = next;
  }
  return blocks;
}

/// With as many columns as the screen has room for; only then long configurations are split.
std::string sweep_table(const ReplayReport& report, const Style& style) {
  constexpr SweepLayout kLayouts[] = {{5, false}, {4, false}, {3, false}, {3, true}, {2, false}, {2, true}};
  std::string text;
  for (const auto& layout : kLayouts) {
    text.clear();
    for (const auto& block : by_card(report)) {
      if (has_several_cards(report)) text += report::painted(block.front().card->id, Paint::strong, style) + "\n";
      text += sweep_block(block, layout, style);
    }
    if (widest_line(text) <= style.columns) break;
  }
  return text;
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
      fmt::format("recording {}: {} events", short_path(report.source->file), count_text(recording.entries().size()));
  if (recording.start.empty()) {
    text += " from the start";
  } else {
    text += fmt::format(", starting with {} reserved", to_text(recording.reserved_at_start()));
  }
  text += fmt::format("; PyTorch {}{}, {} configuration", report.torch_known ? "" : "unknown, assumed ",
                      to_text(recording.torch), conf_text(recording.alloc_conf));
  if (const auto* card = report.source->card(recording.device)) text += fmt::format(", {}", card->id);
  if (report.devices > 1) {
    text += fmt::format("; device {}{} of {}", recording.device, report.device_given ? "" : ", the fullest",
                        report.devices);
  }
  return text;
}

std::string played_text(const ReplayReport& report) {
  std::string text = fmt::format("replayed with PyTorch {}", to_text(report.torch));
  const auto& first = report.rows.front();
  if (!report.swept) text += fmt::format(", {} configuration", conf_text(first.alloc_conf));
  if (report.swept && first.card && !has_several_cards(report)) text += fmt::format(" on {}", first.card->id);
  if (report.fraction) text += fmt::format(", at most {} of the GPU's memory", *report.fraction);
  return text;
}

std::string failure_text(const ReplayReport& report, const whatif::Refusal& refusal) {
  const auto where = where_text(*report.recording->snapshot, refusal.at.stack);
  const auto why = refusal.limit ? fmt::format("its limit is {} and it has reserved {}", to_text(*refusal.limit),
                                               to_text(refusal.reserved))
                                 : to_text(refusal.device_free) + " are free";
  return fmt::format("PyTorch fails to allocate {} in event {} of {}{}; {}.", to_text(refusal.requested),
                     count_text(refusal.at.entry + 1), count_text(report.recording->entries().size()),
                     where.empty() ? "" : " at " + where, why);
}

/// What the table has no room for: for each GPU, or for the best of a sweep.
std::string details(const ReplayReport& report, const Style& style) {
  std::string text;
  for (const auto& row : report.rows) {
    if (report.swept && !row.is_best) continue;
    std::string lines;
    const auto& outcome = row.answer.outcome;
    if (outcome.out_of_memory) {
      lines += report::wrapped(failure_text(report, *outcome.out_of_memory), "  ", "  ", style);
    }
    const auto where = where_text(*report.recording->snapshot, outcome.peak_at.stack);
    if (!outcome.out_of_memory) {
      lines += report::wrapped(
          fmt::format("peak in event {} of {}{}", count_text(outcome.peak_at.entry + 1),
                      count_text(report.recording->entries().size()), where.empty() ? "" : ", at " + where),
          "  ", "    ", style);
    }
    for (const auto& caveat : row.answer.caveats) {
      const auto sign = report::painted(report::glyphs(style).tight, Paint::doubtful, style);
      lines += caveat.decides
                   ? report::wrapped(report::sentence(caveat.text), fmt::format("  {} ", sign), "    ", style)
                   : report::wrapped("note: " + caveat.text, "  ", "    ", Paint::faint, style);
    }
    if (lines.empty()) continue;
    if (!row.card && !report.swept) {
      text += lines;
      continue;
    }
    const auto title = row.card ? row.card->id : "no GPU";
    text += report::painted(report.swept ? title + ", " + conf_text(row.alloc_conf) : title, Paint::strong, style) +
            "\n" + lines;
  }
  return text;
}

std::string best_text(const std::string& title, const ReplayRow& best, const ReplayRow& of_default,
                      const Style& style) {
  const auto lowest = best.answer.outcome.peak_reserved;
  const auto usual = of_default.answer.outcome.peak_reserved;
  const bool is_less = !of_default.answer.outcome.out_of_memory && lowest < usual;
  if (best.alloc_conf.empty()) {
    return report::wrapped(fmt::format("{}best: the default ({} reserved); no other setting does better by 1 % or more",
                                       title, to_text(lowest)),
                           "", "  ", Paint::strong, style);
  }
  const auto gain = of_default.answer.outcome.out_of_memory ? ", while the default fails"
                    : is_less ? fmt::format(", {} less than the default", to_text(usual - lowest))
                              : "";
  return report::wrapped(fmt::format("{}best: {} ({} reserved{})", title, best.alloc_conf, to_text(lowest), gain), "",
                         "  ", Paint::strong, style);
}

/// The result of the sweep, GPU by GPU; the default comes first of a GPU's rows.
std::string conclusion(const ReplayReport& report, const Style& style) {
  std::string text;
  for (const auto& rows : by_card(report)) {
    const auto best = std::ranges::find_if(rows, &ReplayRow::is_best);
    const auto title = rows.front().card ? rows.front().card->id + ": " : "";
    text += best == rows.end() ? title + "no setting fits\n" : best_text(title, *best, rows.front(), style);
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
  return report::wrapped("device peak = reserved (simulated) + memory outside PyTorch (estimated): " + list, "", "  ",
                         Paint::faint, style);
}

std::string note_lines(const ReplayReport& report, const Style& style) {
  std::string text;
  auto diagnostics = report.source->snapshot.diagnostics;
  diagnostics.merge(report.recording->diagnostics);
  for (const auto& [name, count] : diagnostics.counts()) {
    text += report::wrapped(fmt::format("note: {} {}{}", name, report::glyphs(style).times, count), "", "  ",
                            Paint::faint, style);
  }
  return text;
}

}  // namespace

std::string replay_text(const ReplayReport& report, const Style& style) {
  return report::wrapped(origin_text(report), "", "  ", Paint::faint, style) +
         report::wrapped(played_text(report), "", "  ", Paint::faint, style) +
         (report.swept ? sweep_table(report, style) + conclusion(report, style) : cards_table(report, style)) +
         details(report, style) + note_lines(report, style) + outside_line(report, style);
}

}  // namespace dryfit::cli
