// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/terminal_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "report/compute.h"
#include "report/layout.h"
#include "report/wording.h"

namespace dryfit::report {

using verdict::Answer;
using verdict::Counting;
using verdict::Verdict;

namespace {

std::string caveat_lines(const Verdict& verdict, const Style& style) {
  std::string text;
  const auto sign = painted(glyphs(style).tight, Paint::doubtful, style);
  for (const auto& caveat : verdict.caveats) {
    text += wrapped(sentence(caveat.text), fmt::format("  {} ", sign), kHanging, style);
  }
  return text;
}

}  // namespace

std::string headroom_of(const Verdict& verdict) {
  return to_text(Bytes{static_cast<std::uint64_t>(std::llabs(verdict.headroom))});
}

Bytes outside_of(const Verdict& verdict) { return verdict.libraries + verdict.context + verdict.code; }

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

Bar bar_of(const Verdict& verdict, Bytes need) {
  const auto beside = std::min(outside_of(verdict), verdict.capacity);
  return {.parts = {{Fill::torch, verdict.capacity - beside},
                    {Fill::outside, beside},
                    {Fill::request, need - verdict.capacity}},
          .limit = verdict.capacity,
          .used = answer_paint(verdict.answer)};
}

std::string reason_lines(const Verdict& verdict, const Style& style) {
  std::string text;
  if (verdict.oom) {
    text += wrapped(failure_sentence(verdict), "  ", "  ", style);
  } else if (verdict.answer == Answer::cannot_tell) {
    text += wrapped(sentence(verdict.reason), "  ", "  ", style);
  }
  text += caveat_lines(verdict, style);
  if (!verdict.hint.empty()) {
    text += wrapped(sentence(verdict.hint), fmt::format("  {} ", glyphs(style).arrow),
                    std::string(std::size_t{2} + width(glyphs(style).arrow) + 1, ' '), style);
  }
  return text;
}

std::string order_lines(const Verdict& verdict, const Style& style) {
  if (verdict.orders.size() < 2) return "";
  return wrapped("device peak by order of addresses: " + orders_text(verdict.orders), "  ", kHanging, style);
}

std::string assumed_lines(const Verdict& verdict, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& line : assumption_lines(verdict.assumptions, style)) {
    text += wrapped("assumed: " + line, indent, std::string(indent) + "  ", style);
  }
  return text;
}

std::string gap_lines(const Verdict& verdict, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& gap : verdict.gaps) {
    text += wrapped("not in the trace: " + gap.text, indent, std::string(indent) + "  ", style);
  }
  return text;
}

/// Lines with a label of their own; what does not fit into one goes on below its value.
std::string compute_lines(const std::optional<Counting>& counting, std::string_view indent, const Style& style) {
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

std::string note_lines(const Diagnostics& diagnostics, std::string_view indent, const Style& style) {
  std::string text;
  for (const auto& line : diagnostic_lines(diagnostics, style)) {
    text += wrapped("note: " + line, indent, std::string(indent) + "  ", Paint::faint, style);
  }
  return text;
}

}  // namespace dryfit::report
