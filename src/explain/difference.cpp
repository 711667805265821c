// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/difference.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace dryfit::explain {
namespace {

/// "train.py:42 main" without its number: "train.py main".
std::string without_number(const std::string& line) {
  const auto colon = line.rfind(':');
  const auto space = line.find(' ', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || space == std::string::npos) return line;
  return line.substr(0, colon) + line.substr(space);
}

using Sums = std::map<std::string, Bytes>;

Sums sums_of(const Explanation& explanation, By by) {
  Sums sums;
  for (const auto& share : shares_of(explanation, {.by = by})) sums[share.name] += share.bytes;
  return sums;
}

/// The lines of each function.
std::map<std::string, std::set<std::string>> functions_of(const Sums& lines) {
  std::map<std::string, std::set<std::string>> functions;
  for (const auto& [line, bytes] : lines) functions[without_number(line)].insert(line);
  return functions;
}

/// Whether one run has all the lines of the other, as where nothing was edited.
bool are_alike(const std::set<std::string>& one, const std::set<std::string>& other) {
  return std::ranges::includes(one, other) || std::ranges::includes(other, one);
}

/// Adds up the lines of each function that has other lines in the other run.
Sums comparable(const Sums& lines, const Sums& others) {
  const auto own = functions_of(lines);
  const auto theirs = functions_of(others);
  Sums sums;
  for (const auto& [line, bytes] : lines) {
    const auto function = without_number(line);
    const auto there = theirs.find(function);
    const bool stays = there == theirs.end() || are_alike(own.at(function), there->second);
    sums[stays ? line : function] += bytes;
  }
  return sums;
}

std::vector<Change> changes(const Explanation& before, const Explanation& after, By by) {
  std::map<std::string, Change> all;
  const auto sums_before = sums_of(before, by);
  const auto sums_after = sums_of(after, by);
  const bool are_lines = by == By::line;
  for (const auto& [name, bytes] : are_lines ? comparable(sums_before, sums_after) : sums_before)
    all[name].before = bytes;
  for (const auto& [name, bytes] : are_lines ? comparable(sums_after, sums_before) : sums_after)
    all[name].after = bytes;
  std::vector<Change> result;
  for (auto& [name, change] : all) {
    change.name = name;
    if (change.by() != 0) result.push_back(std::move(change));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, [](const Change& each) { return std::llabs(each.by()); });
  return result;
}

Bytes outside_of(const Explanation& explanation) { return explanation.outside ? explanation.outside->sum() : Bytes{}; }

}  // namespace

Difference difference_of(const Explanation& before, const Explanation& after) {
  Difference result{.allocated = {"allocated", before.peak.allocated, after.peak.allocated},
                    .reserved = {"reserved", before.peak.reserved, after.peak.reserved},
                    .outside = {"outside", outside_of(before), outside_of(after)}};
  for (std::size_t i = 0; i < kCategories; ++i) {
    const Change change{std::string(to_text(static_cast<Category>(i))), before.peak.categories[i],
                        after.peak.categories[i]};
    if (change.before.count + change.after.count > 0) result.categories.push_back(change);
  }
  result.modules = changes(before, after, By::module);
  result.lines = changes(before, after, By::line);
  result.operators = changes(before, after, By::op);
  return result;
}

}  // namespace dryfit::explain
