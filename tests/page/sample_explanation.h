// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "explain/explanation.h"

namespace dryfit::page_samples {

/// An imagined training job: a stack of equal blocks, trained for some steps with Adam. Every number follows from
/// these.
struct Job {
  std::uint32_t blocks = 12;
  std::uint32_t steps = 3;
  std::uint32_t temporaries = 2;  ///< in the forward pass of each layer
  bool fails = false;             ///< in the forward pass of the last step; without a step, while loading
};

/// What an explanation of it would be, in all its parts, and consistent: allocations, spans, stacks, reserved memory
/// and the segments at the peak.
explain::Explanation sample_explanation(const Job& job);

}  // namespace dryfit::page_samples
