// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/cap_search.h"

#include <algorithm>

namespace dryfit::verdict {
namespace {

constexpr std::uint64_t kSteps = 100;  ///< of the GPU

/// The share that PyTorch allows with a fraction of that many hundredths.
Bytes share(std::uint64_t hundredths, Bytes total) {
  return {static_cast<std::uint64_t>(static_cast<double>(hundredths) / kSteps * static_cast<double>(total.count))};
}

}  // namespace

CapSearch::CapSearch(Bytes total, Bytes comfortable, Bytes least)
    : total_(total), start_(std::min(comfortable, total)), hint_(least) {}

/// The largest cap that was tried needs no retry, or there is no larger one.
bool CapSearch::is_comfort_known() const {
  const auto& largest = trials_.front();
  return (largest.runs && largest.retries == 0) || largest.cap >= total_;
}

/// The next whole percent.
Bytes CapSearch::above(Bytes cap) const {
  for (std::uint64_t i = 1; i < kSteps; ++i) {
    if (share(i, total_) > cap) return share(i, total_);
  }
  return total_;
}

/// The next whole percent, or the least cap of the replay if that is nearer; 0: there is none.
Bytes CapSearch::below(Bytes cap) const {
  for (std::uint64_t i = kSteps; i > 0; --i) {
    const auto percent = share(i, total_);
    if (percent < cap) return hint_ < cap ? std::max(percent, hint_) : percent;
  }
  return {};
}

std::vector<Bytes> CapSearch::next(std::size_t most) const {
  if (trials_.empty()) return {start_};
  if (!is_comfort_known()) return {above(trials_.front().cap)};
  std::vector<Bytes> caps;
  const auto failure = std::ranges::find(trials_, false, &CapTrial::runs);
  if (failure != trials_.end()) return {};
  for (auto cap = below(trials_.back().cap); cap.count > 0 && caps.size() < most; cap = below(cap)) {
    caps.push_back(cap);
  }
  return caps;
}

void CapSearch::note(const CapTrial& trial) {
  const auto place = std::ranges::find_if(trials_, [&](const auto& other) { return other.cap < trial.cap; });
  trials_.insert(place, trial);
}

bool CapSearch::found() const { return !trials_.empty() && trials_.front().runs; }

std::optional<Bytes> CapSearch::comfortable() const {
  std::optional<Bytes> cap;
  for (const auto& trial : trials_) {
    if (!trial.runs || trial.retries > 0) break;
    cap = trial.cap;
  }
  return cap;
}

Bytes CapSearch::least() const {
  auto cap = trials_.front().cap;
  for (const auto& trial : trials_) {
    if (!trial.runs) break;
    cap = trial.cap;
  }
  return cap;
}

}  // namespace dryfit::verdict
