// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace dryfit::estimate {

/// A reduction of a tensor over some of its dimensions: a sum, a mean.
struct Reduction {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;   ///< in elements; empty: contiguous
  std::vector<std::int64_t> over;      ///< dimensions, negative ones counted from the end; empty: all
  std::uint64_t accumulator_size = 4;  ///< bytes of what is added up; floats for half precision
};

/// What it takes on a GPU beside its result, until it is done.
struct ReductionScratch {
  Bytes partial;     ///< results of thread blocks that work on the same output; 0: none do
  Bytes semaphores;  ///< to find out which of them is the last
};

/// torch `setReduceConfig` (aten/src/ATen/native/cuda/Reduce.cuh): thread blocks share the work on an output if there
/// is much to add up for few outputs, as for the gradient of a bias.
ReductionScratch reduction_scratch(const Reduction& reduction, int multiprocessors, int threads_per_multiprocessor);

}  // namespace dryfit::estimate
