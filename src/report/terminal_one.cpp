// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
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

// Of the line that the bar is in, with an indentation on both sides.
constexpr std::size_t kNarrowestBar = 24, kWidestBar = 100;
constexpr std::size_t kBarIndent = 2;

double percent_of_capacity(const Verdict& verdict) {
  return 100.0 * static_cast<double>(verdict.headroom) / static_cast<double>(verdict.capacity.count);
}

/// By how much it fits or does not, after the answer and the GPU; empty where that is unknown.
std::string margin(const Verdict& verdict) {
  if (fitted(verdict.answer)) {
    if (verdict.headroom < 0) return fmt::format(": {} over", headroom_of(verdict));
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
  if (verdict.torch_peak_allocated) text += fmt::format("; peak allocated {}", to_text(*verdict.torch_peak_allocated));
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
  const auto room = std::clamp(style.columns, kNarrowestBar, kWidestBar) - 2 * kBarIndent;
  if (verdict.answer != Answer::cannot_tell) text = "  " + bar_text(bar_of(verdict), room, style) + "\n";
  return text + breakdown(verdict, style);
}

}  // namespace

std::string one_gpu_text(const Verdict& verdict, const Style& style, const std::optional<Counting>& counting) {
  auto text = heading(verdict, style) + reason_lines(verdict, style);
  if (verdict.device_used) text += memory(verdict, style);
  text += sharing_lines(verdict, style) + limit_lines(verdict, style);
  return text + order_lines(verdict, style) + compute_lines(counting, "  ", style) + gap_lines(verdict, "  ", style) +
         assumed_lines(verdict, "  ", style) + note_lines(verdict.diagnostics, "  ", style);
}

}  // namespace dryfit::report
