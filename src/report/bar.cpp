// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/bar.h"

#include <algorithm>
#include <cmath>

namespace dryfit::report {
namespace {

std::string_view sign_of(Fill fill, const Style& style) {
  switch (fill) {
    case Fill::torch:
      return style.utf8 ? "█" : "#";
    case Fill::outside:
      return style.utf8 ? "▓" : "=";
    case Fill::request:
      return style.utf8 ? "▒" : "x";
    case Fill::free:
      break;
  }
  return style.utf8 ? "░" : ".";
}

Paint paint_of_fill(Fill fill, Paint used) {
  return fill == Fill::request ? Paint::bad : fill == Fill::free ? Paint::faint : used;
}

Bytes sum_of(const std::vector<BarPart>& parts) {
  Bytes sum;
  for (const auto& part : parts) sum += part.size;
  return sum;
}

std::size_t cells_for(Bytes size, Bytes whole, std::size_t cells) {
  if (whole.count == 0) return 0;
  const auto share = static_cast<double>(size.count) / static_cast<double>(whole.count);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells)));
}

/// How many cells each part gets: they sum up to `cells`. The largest part gives what the smallest lack.
std::vector<std::size_t> shared_out(const std::vector<BarPart>& parts, Bytes whole, std::size_t cells) {
  std::vector<std::size_t> counts;
  Bytes before;
  for (const auto& part : parts) {
    const auto begin = cells_for(before, whole, cells);
    before += part.size;
    counts.push_back(cells_for(before, whole, cells) - begin);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto largest = std::ranges::max_element(counts);
    if (parts[i].size.count == 0 || counts[i] > 0 || *largest < 2) continue;
    --*largest;
    ++counts[i];
  }
  return counts;
}

}  // namespace

std::string bar_text(const Bar& bar, std::size_t cells, const Style& style) {
  const auto sum = sum_of(bar.parts);
  auto parts = bar.parts;
  const bool is_over = sum > bar.limit;
  if (!is_over) parts.push_back({Fill::free, bar.limit - sum});
  const auto whole = std::max(sum, bar.limit);
  const auto drawn = is_over ? cells - 1 : cells;
  const auto counts = shared_out(parts, whole, drawn);
  // At least one cell lies beyond the mark.
  const auto limit = is_over ? std::min(cells_for(bar.limit, whole, drawn), drawn - 1) : drawn;
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string run;
    const auto flush = [&] {
      if (!run.empty()) text += painted(run, paint_of_fill(parts[i].fill, bar.used), style);
      run.clear();
    };
    for (std::size_t cell = 0; cell < counts[i]; ++cell, ++at) {
      if (is_over && at == limit) {
        flush();
        text += painted(glyphs(style).limit, Paint::strong, style);
      }
      run += sign_of(parts[i].fill, style);
    }
    flush();
  }
  return text;
}

std::string fill_text(Fill fill, Paint used, const Style& style) {
  return painted(sign_of(fill, style), paint_of_fill(fill, used), style);
}

std::string share_text(Bytes part, Bytes whole, std::size_t cells, const Style& style) {
  const auto count = cells_for(part, whole, cells);
  std::string text;
  for (std::size_t i = 0; i < std::min(count, cells); ++i) text += sign_of(Fill::torch, style);
  return text;
}

}  // namespace dryfit::report
