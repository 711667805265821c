// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "verdict/verdict.h"

namespace dryfit::verdict {
namespace {

std::string names_of(const std::vector<OrderResult>& orders, bool fitting) {
  std::string names;
  for (const auto& result : orders) {
    if (fitted(result.answer) == fitting) names += (names.empty() ? "" : ", ") + std::string(to_text(result.order));
  }
  return names;
}

/// The verdict with the numbers for all: one that cannot tell, else one that fitted, else the first.
const Verdict& speaker(const std::vector<Verdict>& by_order) {
  const auto unknown = std::ranges::find(by_order, Answer::cannot_tell, &Verdict::answer);
  if (unknown != by_order.end()) return *unknown;
  const auto fitting = std::ranges::find_if(by_order, fitted, &Verdict::answer);
  return fitting == by_order.end() ? by_order.front() : *fitting;
}

/// The interval of the device peak, over the orders that ended as the result did.
void widen(Verdict& result, const Verdict& other) {
  if (!other.device_used || fitted(other.answer) != fitted(result.answer)) return;
  result.device_peak_low = std::min(result.device_peak_low, other.device_peak_low);
  result.device_peak_high = std::max(result.device_peak_high, other.device_peak_high);
}

/// The others' caveats that the result does not have itself.
void add_caveats(Verdict& result, const Verdict& other) {
  for (const auto& caveat : other.caveats) {
    if (std::ranges::find(result.caveats, caveat.name, &Caveat::name) == result.caveats.end()) {
      result.caveats.push_back(caveat);
    }
  }
}

void make_tight(Verdict& result) {
  result.answer = Answer::tight;
  result.reason = result.caveats.front().text;
}

}  // namespace

Verdict combine(std::vector<Verdict> by_order) {
  DRYFIT_CHECK(!by_order.empty());
  Verdict result = speaker(by_order);
  result.orders.clear();
  for (const auto& each : by_order) {
    result.orders.insert(result.orders.end(), each.orders.begin(), each.orders.end());
    result.seconds = std::max(result.seconds, each.seconds);
    result.host_peak_rss = std::max(result.host_peak_rss, each.host_peak_rss);
    widen(result, each);
    if (fitted(result.answer) && fitted(each.answer)) add_caveats(result, each);
  }
  if (!fitted(result.answer)) return result;
  const auto failing = names_of(result.orders, false);
  if (!failing.empty()) {
    result.caveats.insert(
        result.caveats.begin(),
        {"address_order", "it depends on the order in which the platform assigns addresses: it fits with " +
                              names_of(result.orders, true) + " but not with " + failing});
  }
  if (!result.caveats.empty()) make_tight(result);
  return result;
}

}  // namespace dryfit::verdict
