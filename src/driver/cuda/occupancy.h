// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "card/card.h"
#include "driver/cuda/cubin.h"

namespace dryfit::driver {

inline constexpr int kWarp = 32;        ///< threads
inline constexpr int kWarpGranule = 4;  ///< warps of a block are placed in fours

/// How many blocks of a kernel one multiprocessor holds at once: the minimum over what registers, threads, shared
/// memory and the chip's own limit allow.
int blocks_per_multiprocessor(const Card& card, const KernelFacts& kernel, int block_size, std::size_t dynamic_shared);

/// The most shared memory that each of `blocks` blocks can have on one multiprocessor.
std::size_t available_shared_memory(const Card& card, const KernelFacts& kernel, int blocks);

/// How many clusters of `cluster_size` blocks run on the card at once. A cluster stays inside one graphics processing
/// cluster; cuDNN derives a chip's layout from the answers, so they must be consistent.
int active_clusters(const Card& card, int blocks_per_multiprocessor, int cluster_size);

}  // namespace dryfit::driver
