// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "report/bar.h"
#include "report/compute.h"
#include "report/layout.h"
#include "report/needs.h"
#include "report/table.h"
#include "report/wording.h"

namespace dryfit::report {
namespace {

using verdict::Answer;
using verdict::Counting;
using verdict::Verdict;

constexpr std::size_t kWidestBar = 96;
constexpr std::size_t kIndent = 2;
constexpr std::string_view kHanging = "    ";

std::string headroom_of(const Verdict& verdict) {
  return to_text(Bytes{static_cast<std::uint64_t>(std::llabs(verdict.headroom))});
}

double percent_of_capacity(const Verdict& verdict) {
  return 100.0 * static_cast<double>(verdict.headroom) / static_cast<double>(verdict.capacity.count);
}

/// By how much it fits or does not, after the answer and the GPU; empty where that is unknown.
std::string margin(const Verdict& verdict) {
  if (fitted(verdict.answer)) {
    if (verdict.headroom < 0) return fmt::format(": {} too much", headroom_of(verdict));
    return fmt::format(": headroom {} ({:.0f} % of {})", headroom_of(verdict), percent_of_capacity(verdict),
                       to_text(verdict.capacity));
  }
  if (verdict.answer != Answer::does_not_fit) return "";
  const auto missing = shortfall(verdict);
  return missing ? fmt::format(": at least {} short of memory", to_text(*missing)) : "";
}

/// How far the job came.
std::string extent(const Verdict& verdict) {
  if (verdict.steps == 0) return "no step completed";
  return (verdict.estimated ? "" : "dry run of ") + steps_text(verdict.steps);
}

std::string heading(const Verdict& verdict, const Style& style) {
  const auto answer = fmt::format("{} {}", answer_glyph(verdict.answer, style), answer_text(verdict.answer));
  return fmt::format("{}  {}{}\n", painted(answer, answer_paint(verdict.answer), style),
                     painted(verdict.card.id, Paint::strong, style), margin(verdict)) +
         wrapped(fmt::format("{} ({}), {} in {}", verdict.card.name, to_text(verdict.capacity), extent(verdict),
                             duration_text(verdict.seconds)),
                 "  ", kHanging, Paint::faint, style);
}

std::string caveat_lines(const Verdict& verdict, const Style& style) {
  std::string text;
  const auto sign = painted(glyphs(style).tight, Paint::doubtful, style);
  for (const auto& caveat : verdict.caveats) {
    text += wrapped(sentence(caveat.text), fmt::format("  {} ", sign), kHanging, style);
  }
  return text;
}

/// Why the answer is not a plain "fits".
std::string explanation(const Verdict& verdict, const Style& style) {
  std::string text;
  if (verdict.oom) {
    text += wrapped(failure_sentence(verdict), "  ", "  ", style);
  } else if (verdict.answer == Answer::cannot_tell) {
    text += wrapped(sentence(verdict.reason), "  ", "  ", style);
  }
  text += caveat_lines(verdict, style);
  if (!verdict.hint.empty()) {
    text += wrapped(sentence(verdict.hint), fmt::format("  {} ", glyphs(style).arrow),
                    std::string(kIndent + width(glyphs(style).arrow) + 1, ' '), style);
  }
  return text;
}

Bytes outside_of(const Verdict& verdict) { return verdict.libraries + verdict.context + verdict.code; }

/// What the GPU held when the request failed, the request, and what lies beyond; else the parts of the peak.
Bar bar_of(const Verdict& verdict) {
  Bar bar{.parts = {}, .limit = verdict.capacity, .used = answer_paint(verdict.answer)};
  const auto outside = outside_of(verdict);
  if (!verdict.oom || verdict.oom->device_free > verdict.capacity) {
    bar.parts = {{Fill::torch, verdict.reserved_at_peak}, {Fill::outside, outside}};
    return bar;
  }
  const auto used = verdict.capacity - verdict.oom->device_free;
  const auto beside = std::min(outside, used);
  bar.parts = {{Fill::torch, used - beside}, {Fill::outside, beside}, {Fill::request, verdict.oom->requested}};
  return bar;
}

/// The same for a job that needs about `need` here.
Bar bar_of(const Verdict& verdict, Bytes need) {
  const auto beside = std::min(outside_of(verdict), verdict.capacity);
  return {.parts = {{Fill::torch, verdict.capacity - beside},
                    {Fill::outside, beside},
                    {Fill::request, need - verdict.capacity}},
          .limit = verdict.capacity,
          .used = answer_paint(verdict.answer)};
}

/// "counted: cuBLAS 17.0 MiB, cuDNN 512.0 KiB": the largest first, as many as there is room for.
std::string libraries_note(const Verdict& verdict, std::size_t columns) {
  if (verdict.estimated) return "estimated";
  std::map<std::string, Bytes> by_name;
  for (const auto& [file, bytes] : verdict.library_parts) by_name[library_text(file)] += bytes;
  std::vector<std::pair<std::string, Bytes>> parts(by_name.begin(), by_name.end());
  std::ranges::stable_sort(parts, std::greater<>(), &std::pair<std::string, Bytes>::second);
  std::string text = "counted";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = fmt::format("{}{} {}", i == 0 ? ": " : ", ", parts[i].first, to_text(parts[i].second));
    if (width(text) + width(part) > columns) break;
    text += part;
  }
  return text;
}

std::string torch_note(const Verdict& verdict) {
  std::string text = verdict.estimated ? "estimated; reserved" : "reserved";
  if (verdict.torch_peak_allocated)
    text += fmt::format("; {} allocated at most", to_text(*verdict.torch_peak_allocated));
  return text;
}

/// "± 24.0 MiB, measured on this kind of GPU"; with the source itself, up to its first semicolon, if there is room.
std::string context_note(const Verdict& verdict, std::size_t columns, const Style& style) {
  const Bytes above = verdict.outside_high - outside_of(verdict);
  const auto note = fmt::format("{} {}, ", glyphs(style).plus_minus, to_text(above));
  const auto source = verdict.outside_source.substr(0, verdict.outside_source.find(';'));
  if (!source.empty() && width(note) + width(source) <= columns) return note + source;
  return note + context_origin_text(verdict.outside_origin);
}

std::string peak_name(const Verdict& verdict) {
  if (fitted(verdict.answer)) return "device peak";
  return verdict.answer == Answer::does_not_fit ? "peak before failure" : "device peak so far";
}

/// The parts of the peak, each with its sign in the bar.
std::string breakdown(const Verdict& verdict, const Style& style) {
  const auto paint = answer_paint(verdict.answer);
  const bool has_bar = verdict.answer != Answer::cannot_tell;
  const auto part = [&](Fill fill, std::string_view name) {
    return has_bar ? fmt::format("  {} {}", fill_text(fill, paint, style), name) : fmt::format("    {}", name);
  };
  const auto row = [](std::string name, Bytes size, std::string note) {
    return std::vector<Cell>{
        {std::move(name)}, {to_text(size), Align::right}, {std::move(note), Align::left, true, Paint::faint}};
  };
  constexpr std::string_view kLibraries = "libraries, kernels";
  const auto room = style.columns - std::min(style.columns, kLibraries.size() + 16);
  std::vector<std::vector<Cell>> rows{
      {{"  " + peak_name(verdict)},
       {to_text(verdict.device_peak), Align::right},
       {fmt::format("of {}, {}", to_text(verdict.capacity), place_text(verdict.peak_at))}},
      row(part(Fill::torch, "PyTorch"), verdict.reserved_at_peak, torch_note(verdict)),
      row(part(Fill::outside, "CUDA context"), verdict.context, context_note(verdict, room, style)),
      row(part(Fill::outside, kLibraries), verdict.libraries + verdict.code, libraries_note(verdict, room)),
  };
  if (fitted(verdict.answer) && verdict.headroom >= 0) {
    rows.push_back(row(part(Fill::free, "headroom"), Bytes{static_cast<std::uint64_t>(verdict.headroom)}, ""));
  }
  if (verdict.oom) {
    rows.push_back(row(part(Fill::request, "failed request"), verdict.oom->requested, place_text(verdict.oom->at)));
  }
  return aligned(rows, style);
}

std::string memory(const Verdict& verdict, const Style& style) {
  std::string text;
  const auto room = std::min(style.columns, kWidestBar + 2 * kIndent) - 2 * kIndent;
  if (verdict.answer != Answer::cannot_tell) text = "  " + bar_text(bar_of(verdict), room, style) + "\n";
  return text + breakdown(verdict, style);
}

std::string orders(const Verdict& verdict, const Style& style) {
  if (verdict.orders.size() < 2) return "";
  return wrapped("device peak by order of addresses: " + orders_text(verdict.orders), "  ", kHanging, style);
}

std::string assumptions(const Verdict& verdict, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& line : assumption_lines(verdict.assumptions, style)) {
    text += wrapped("assumed: " + line, indent, std::string(indent) + "  ", style);
  }
  return text;
}

std::string gaps(const Verdict& verdict, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& gap : verdict.gaps) {
    text += wrapped("not in the trace: " + gap.text, indent, std::string(indent) + "  ", style);
  }
  return text;
}

/// Lines with a label of their own; what does not fit into one goes on below its value.
std::string compute(const std::optional<Counting>& counting, std::string_view indent, const Style& style) {
  if (!counting) return "";
  constexpr std::size_t kLabel = 18;
  std::string text;
  const auto lines = counting_text(*counting);
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    const auto line = std::string_view(lines).substr(at, end - at);
    const auto label = std::min(kLabel, line.size());
    text += wrapped(line.substr(label), std::string(indent).append(line.substr(0, label)),
                    std::string(indent.size() + kLabel, ' '), style);
    at = end + 1;
  }
  return text;
}

std::string notes(const Diagnostics& diagnostics, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& line : diagnostic_lines(diagnostics, style)) {
    text += wrapped("note: " + line, indent, std::string(indent) + "  ", Paint::faint, style);
  }
  return text;
}

std::string one_card(const Verdict& verdict, const Style& style, const std::optional<Counting>& counting) {
  auto text = heading(verdict, style) + explanation(verdict, style);
  if (verdict.device_used) text += memory(verdict, style);
  return text + orders(verdict, style) + compute(counting, "  ", style) + gaps(verdict, "  ", style) +
         assumptions(verdict, "  ", style) + notes(verdict.diagnostics, "  ", style);
}

// --- several GPUs ---

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
    text += count == sorted.size() ? fmt::format(" on all {}", count) : fmt::format(" on {}", count);
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

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
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
  text += explanation(verdict, style) + orders(verdict, style);
  if (!text.empty()) text = painted(verdict.card.id, Paint::strong, style) + "\n" + text;
  return text;
}

std::string origins_line(std::span<const Verdict> verdicts, const Style& style) {
  std::map<Origin, std::string> ids;
  for (const auto& verdict : verdicts) {
    auto& list = ids[verdict.outside_origin];
    list += fmt::format("{}{} {} {}", list.empty() ? "" : ", ", verdict.card.id, glyphs(style).plus_minus,
                        to_text(verdict.card.context_spread));
  }
  std::string text = verdicts.front().estimated ? "device peak: estimated; CUDA context "
                                                : "device peak: counted, except the CUDA context, which was ";
  const char* separator = "";
  for (const auto& [origin, list] : ids) {
    text += fmt::format("{}{} ({})", separator, context_origin_text(origin), list);
    separator = ", ";
  }
  return wrapped(text, "", "  ", Paint::faint, style);
}

std::string several_cards(std::span<const Verdict> verdicts, const Style& style,
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
  auto text = summary(sorted, style) + verdict_table(rows, style) + details;
  // The same program on every GPU: what was assumed differs in sizes at most.
  const auto assuming = std::ranges::find_if(verdicts, [](const auto& each) { return !each.assumptions.empty(); });
  text += compute(counting, "", style) + gaps(verdicts.front(), "", style);
  if (assuming != verdicts.end()) text += assumptions(*assuming, "", style);
  return text + notes(diagnostics, "", style) + origins_line(verdicts, style);
}

}  // namespace

std::string terminal_text(std::span<const Verdict> verdicts, const Style& style,
                          const std::optional<Counting>& counting) {
  if (verdicts.size() == 1) return one_card(verdicts.front(), style, counting);
  return several_cards(verdicts, style, counting);
}

std::string values_note(std::span<const Verdict> verdicts, const Style& style) {
  const auto has_run = [](const Verdict& each) { return each.device_used && !each.estimated; };
  if (std::ranges::none_of(verdicts, has_run)) return "";
  return wrapped("note: numbers the program printed, such as losses, are placeholders", "  ", "    ", Paint::faint,
                 style);
}

}  // namespace dryfit::report
