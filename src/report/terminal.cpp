// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "report/compute.h"
#include "report/table.h"
#include "report/wording.h"

namespace dryfit::report {
namespace {

using verdict::Answer;
using verdict::Counting;
using verdict::Verdict;

std::string heading(const Verdict& verdict, const Style& style) {
  const auto answer = fmt::format("{} {}", answer_glyph(verdict.answer, style), answer_text(verdict.answer));
  return fmt::format("{}  {} ({})   {}, {}\n", painted(answer, answer_paint(verdict.answer), style),
                     painted(verdict.card.name, Paint::strong, style), verdict.card.id, duration_text(verdict.seconds),
                     steps_text(verdict.steps));
}

/// Why the answer is not a plain "fits".
std::string explanation(const Verdict& verdict, const Style& style) {
  std::string text;
  if (verdict.oom) {
    text += fmt::format("  {}: {} of {}\n", verdict.reason, request_text(*verdict.oom), to_text(verdict.capacity));
  } else if (verdict.answer == Answer::cannot_tell) {
    text += fmt::format("  {}\n", verdict.reason);
  }
  for (const auto& caveat : verdict.caveats) text += fmt::format("  but {}\n", caveat.text);
  if (!verdict.hint.empty()) text += fmt::format("  {} {}\n", glyphs(style).arrow, verdict.hint);
  return text;
}

std::string headroom_text(const Verdict& verdict) {
  if (!fitted(verdict.answer)) return "as far as it came";
  const auto size = to_text(Bytes{static_cast<std::uint64_t>(std::llabs(verdict.headroom))});
  if (verdict.headroom < 0) return fmt::format("{} too much", size);
  const auto percent = 100.0 * static_cast<double>(verdict.headroom) / static_cast<double>(verdict.capacity.count);
  return fmt::format("headroom {} ({:.0f} %)", size, percent);
}

std::string libraries_note(const Verdict& verdict) {
  std::map<std::string, Bytes> by_name;
  for (const auto& [file, bytes] : verdict.library_parts) by_name[library_text(file)] += bytes;
  if (verdict.estimated) return "estimated, with kernel code";
  std::string text = "counted";
  const char* separator = ": ";
  for (const auto& [name, bytes] : by_name) {
    text += fmt::format("{}{} {}", separator, name, to_text(bytes));
    separator = ", ";
  }
  return text;
}

std::string torch_note(const Verdict& verdict) {
  const auto* obtained = verdict.estimated ? "estimated" : "counted";
  if (!verdict.torch_peak_allocated) return fmt::format("reserved; {}", obtained);
  return fmt::format("reserved; {} ({} allocated at most)", obtained, to_text(*verdict.torch_peak_allocated));
}

Bytes outside_of(const Verdict& verdict) { return verdict.libraries + verdict.context + verdict.code; }

/// "± 24.0 MiB, measured: 471 MiB (within 15) in training, OOM messages": the source up to its first semicolon.
std::string outside_note(const Verdict& verdict, const Style& style) {
  auto source = verdict.outside_source.substr(0, verdict.outside_source.find(';'));
  if (source.empty()) source = context_origin_text(verdict.outside_origin);
  const Bytes above = verdict.outside_high - outside_of(verdict);
  return fmt::format("{} {}, {}", glyphs(style).plus_minus, to_text(above), source);
}

std::string breakdown(const Verdict& verdict, const Style& style) {
  const auto row = [](std::string name, Bytes size, std::string note) {
    return std::vector<Cell>{
        {std::move(name)}, {to_text(size), Align::right}, {std::move(note), Align::left, true, Paint::faint}};
  };
  std::vector<std::vector<Cell>> rows{
      {{"  device peak"},
       {to_text(verdict.device_peak), Align::right},
       {fmt::format("of {}, {}", to_text(verdict.capacity), headroom_text(verdict))}},
      row("    PyTorch", verdict.reserved_at_peak, torch_note(verdict)),
      row("    outside PyTorch", outside_of(verdict), outside_note(verdict, style)),
      row("      CUDA context", verdict.context, "estimated"),
      row("      libraries", verdict.libraries, libraries_note(verdict)),
  };
  if (!verdict.estimated) rows.push_back(row("      kernel code", verdict.code, "counted"));
  return aligned(rows, style) + fmt::format("  reached {}\n", place_text(verdict.peak_at));
}

std::string orders(const Verdict& verdict) {
  if (verdict.orders.size() < 2) return "";
  return fmt::format("  by order of addresses: {}\n", orders_text(verdict.orders));
}

std::string assumptions(const Verdict& verdict, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& line : assumption_lines(verdict.assumptions, style)) {
    text += fmt::format("{}assumed: {}\n", indent, line);
  }
  return text;
}

std::string gaps(const Verdict& verdict, std::string_view indent) {
  std::string text;
  for (const auto& gap : verdict.gaps) text += fmt::format("{}not in the trace: {}\n", indent, gap.text);
  return text;
}

std::string compute(const std::optional<Counting>& counting, std::string_view indent) {
  return counting ? fmt::format("{}{}\n", indent, counting_text(*counting, indent)) : "";
}

std::string notes(const Verdict& verdict, const Style& style) {
  std::string text;
  for (const auto& line : diagnostic_lines(verdict.diagnostics, style)) {
    text += painted("  note: " + line, Paint::faint, style) + "\n";
  }
  return text;
}

std::string one_card(const Verdict& verdict, const Style& style, const std::optional<Counting>& counting) {
  auto text = heading(verdict, style) + explanation(verdict, style);
  if (verdict.device_used) text += breakdown(verdict, style);
  return text + orders(verdict) + compute(counting, "  ") + gaps(verdict, "  ") + assumptions(verdict, "  ", style) +
         notes(verdict, style);
}

std::vector<Cell> table_heading() {
  std::vector<Cell> cells{{"card"},
                          {"verdict"},
                          {"device peak", Align::right},
                          {"of", Align::right},
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

std::vector<Cell> table_row(const Verdict& verdict, const Style& style) {
  const std::string none(glyphs(style).none);
  const bool fits = fitted(verdict.answer);
  const auto headroom = Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(verdict.headroom, 0))};
  return {{verdict.card.id},
          {fmt::format("{} {}", answer_glyph(verdict.answer, style), answer_text(verdict.answer)), Align::left, true,
           answer_paint(verdict.answer)},
          {verdict.device_used ? to_text(verdict.device_peak) : none, Align::right},
          {to_text(verdict.capacity), Align::right},
          {fits ? to_text(headroom) : none, Align::right},
          {verdict.device_used ? moment_text(verdict.peak_at) : none},
          {std::to_string(verdict.steps), Align::right},
          {duration_text(verdict.seconds), Align::right}};
}

/// What the table has no room for: why a card does not fit or cannot be told, or what its fit rests on.
std::string detail(const Verdict& verdict, const Style& style) {
  auto text = explanation(verdict, style) + orders(verdict);
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
  std::string text =
      verdicts.front().estimated
          ? "device peak = PyTorch reserved, libraries and the CUDA context, all estimated; the context:"
          : "device peak = PyTorch reserved + libraries + kernel code, counted, + the CUDA context, estimated:";
  for (const auto& [origin, list] : ids) text += fmt::format("\n  {} ({})", context_origin_text(origin), list);
  return painted(text, Paint::faint, style) + "\n";
}

std::string several_cards(std::span<const Verdict> verdicts, const Style& style,
                          const std::optional<Counting>& counting) {
  std::vector<std::vector<Cell>> rows{table_heading()};
  std::string details;
  Diagnostics diagnostics;
  for (const auto& verdict : verdicts) {
    rows.push_back(table_row(verdict, style));
    details += detail(verdict, style);
    diagnostics.merge(verdict.diagnostics);
  }
  auto text = aligned(rows, style) + details;
  // The same program on every card: what was assumed differs in sizes at most.
  const auto assuming = std::ranges::find_if(verdicts, [](const auto& each) { return !each.assumptions.empty(); });
  text += compute(counting, "") + gaps(verdicts.front(), "");
  if (assuming != verdicts.end()) text += assumptions(*assuming, "", style);
  for (const auto& line : diagnostic_lines(diagnostics, style)) {
    text += painted("note: " + line, Paint::faint, style) + "\n";
  }
  return text + origins_line(verdicts, style);
}

}  // namespace

std::string terminal_text(std::span<const Verdict> verdicts, const Style& style,
                          const std::optional<Counting>& counting) {
  if (verdicts.size() == 1) return one_card(verdicts.front(), style, counting);
  return several_cards(verdicts, style, counting);
}

}  // namespace dryfit::report
