// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/run_summary.h"
#include "card/card.h"
#include "estimate/plan.h"
#include "whatif/recording.h"

namespace dryfit::estimate {

struct Conditions;

/// Plays plans, one window after the other, through the model of PyTorch's allocator, on a GPU from which the memory
/// outside PyTorch has already been subtracted. Stops at the first request that fails.
class Player {
 public:
  /// `libraries`: memory of libraries and kernel code; none: unknown, so a typical value is assumed.
  Player(const Card& card, const Conditions& conditions, std::optional<Bytes> libraries);
  ~Player();
  Player(Player&&) noexcept;

  /// `carried`: the numbers that the plan's first blocks had in the plan before.
  void play(const Plan& plan, const std::vector<std::uint32_t>& carried);
  analysis::DeviceSummary finish();
  /// What was played, to be replayed under other limits; none: it was too much to keep, or a request failed.
  std::optional<whatif::Recording> recording() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dryfit::estimate
