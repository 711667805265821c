// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "card/card.h"
#include "driver/cuda/cubin.h"

namespace dryfit::driver {

/// The shape of one launch.
struct LaunchShape {
  std::uint64_t blocks = 1;
  int block_size = 1;  ///< threads
  std::size_t dynamic_shared = 0;
};

/// The duration of a kernel in nanoseconds, as measured by events. See Note [Virtual time].
std::uint64_t kernel_nanoseconds(const Card& card, const KernelFacts& kernel, const LaunchShape& shape);

/// Note [Virtual time]
/// ~~~~~~~~~~~~~~~~~~~
/// Kernels compute nothing, but autotuners (cudnn.benchmark, Triton, inductor) time them with events and keep the
/// fastest. So that the choice is the same in every run, and not just the first of many equals, time is a function of
/// the launch alone, never of wall-clock time:
///
///     time  = launch + waves * registers per thread * a step
///     waves = blocks / (multiprocessors * blocks that one of them holds), rounded up
///
/// A kernel whose blocks fill the card a second time takes twice as long, and a thread that holds more does more. The
/// formula leaves out everything that decides between good kernels on a real card: how memory is accessed, and whether
/// tensor cores are used. The order of candidates is therefore plausible, not true, and a verdict that depends on it
/// says so.

}  // namespace dryfit::driver
