// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace dryfit::report {
namespace {

using analysis::Compute;
using analysis::Work;

constexpr std::size_t kShownOperators = 3;

Shares grouped(const Compute& compute, std::string Work::* member) {
  Shares shares;
  std::map<std::string, std::size_t> place;
  for (const auto& work : compute.last_step) {
    const auto [found, fresh] = place.try_emplace(work.*member, shares.size());
    if (fresh) shares.emplace_back(work.*member, 0);
    shares[found->second].second += work.flops;
  }
  return shares;
}

std::string operators_text(const Compute& compute) {
  const auto shares = by_operator(compute);
  std::uint64_t all = 0;
  for (const auto& [name, flops] : shares) all += flops;
  std::string text;
  for (std::size_t i = 0; i < std::min(shares.size(), kShownOperators); ++i) {
    const auto percent = 100.0 * static_cast<double>(shares[i].second) / static_cast<double>(all);
    text += fmt::format("{}{} {:.0f} %", i == 0 ? ": " : ", ", shares[i].first, percent);
  }
  if (shares.size() > kShownOperators) text += fmt::format(", {} more", shares.size() - kShownOperators);
  return text;
}

std::string range_text(const std::vector<std::uint64_t>& steps) {
  const auto [least, most] = std::ranges::minmax_element(steps);
  if (*least == *most) return "";
  return fmt::format(" ({} to {} in {} steps)", flops_text(*least), flops_text(*most), steps.size());
}

std::string uncounted_text(const Compute& compute) {
  std::string text;
  for (const auto& [op, times] : compute.uncounted) text += (text.empty() ? "; without " : ", ") + op;
  return text;
}

std::string traffic_text(const Compute& compute, std::string_view indent) {
  const auto ratio = intensity(compute);
  if (!ratio) return "";
  const auto shares = moved_by_operator(compute);
  std::string text;
  for (std::size_t i = 0; i < std::min(shares.size(), kShownOperators); ++i) {
    const auto percent = 100.0 * static_cast<double>(shares[i].second) / static_cast<double>(compute.traffic.back());
    text += fmt::format("{}{} {:.0f} %", i == 0 ? ": " : ", ", shares[i].first, percent);
  }
  return fmt::format("\n{}moved per step    {} ({:.1f} FLOP per byte){}", indent,
                     to_text(Bytes{compute.traffic.back()}), *ratio, text);
}

std::string kernels_text(const verdict::Counting& counting, std::string_view indent) {
  const auto shares = launched(counting);
  if (shares.empty()) return "";
  std::uint64_t all = 0;
  for (const auto& [name, launches] : shares) all += launches;
  return fmt::format("\n{}kernels           {} launches of {} kernels in the whole run", indent, all, shares.size());
}

}  // namespace

Shares by_operator(const Compute& compute) {
  auto shares = grouped(compute, &Work::op);
  std::erase_if(shares, [](const auto& share) { return share.second == 0; });
  std::ranges::stable_sort(shares, std::greater<>(), &Shares::value_type::second);
  return shares;
}

Shares by_module(const Compute& compute) { return grouped(compute, &Work::module); }

std::string flops_text(std::uint64_t flops) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  auto number = static_cast<double>(flops);
  std::size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) number /= 1000;
  const int decimals = prefix == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}FLOP", number, decimals, kPrefixes[prefix]);
}

Shares moved_by_operator(const Compute& compute) {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& each : compute.moved) sums[each.op] += each.bytes;
  Shares shares(sums.begin(), sums.end());
  std::ranges::stable_sort(shares, std::greater<>(), &Shares::value_type::second);
  return shares;
}

std::optional<double> intensity(const Compute& compute) {
  if (compute.steps.empty() || compute.traffic.empty() || compute.traffic.back() == 0) return std::nullopt;
  return static_cast<double>(compute.steps.back()) / static_cast<double>(compute.traffic.back());
}

Shares launched(const verdict::Counting& counting) {
  Shares shares(counting.kernels.begin(), counting.kernels.end());
  std::erase_if(shares, [](const auto& share) { return share.second == 0; });
  std::ranges::stable_sort(shares, std::greater<>(), &Shares::value_type::second);
  return shares;
}

std::string counting_text(const verdict::Counting& counting, std::string_view indent) {
  const auto& compute = counting.compute;
  if (compute.steps.empty()) return "compute per step  unknown: " + counting.reason;
  return "compute per step  " + flops_text(compute.steps.back()) + range_text(compute.steps) + operators_text(compute) +
         uncounted_text(compute) + traffic_text(compute, indent) + kernels_text(counting, indent);
}

}  // namespace dryfit::report
