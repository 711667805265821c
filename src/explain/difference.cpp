// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/difference.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace dryfit::explain {
namespace {

/// "train.py:42 main" without its number: "train.py main".
std::string without_number(const std::string& line) {
  const auto colon = line.rfind(':');
  const auto space = line.find(' ', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || space == std::string::npos) return line;
  return line.substr(0, colon) + line.substr(space);
}

std::map<std::string, Bytes> sums_of(const Explanation& explanation, By by) {
  std::map<std::string, Bytes> sums;
  for (const auto& share : shares_of(explanation, {.by = by})) {
    sums[by == By::line ? without_number(share.name) : share.name] += share.bytes;
  }
  return sums;
}

std::vector<Change> changes(const Explanation& before, const Explanation& after, By by) {
  std::map<std::string, Change> all;
  for (const auto& [name, bytes] : sums_of(before, by)) all[name].before = bytes;
  for (const auto& [name, bytes] : sums_of(after, by)) all[name].after = bytes;
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
