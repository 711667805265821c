// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/statistics.h"

namespace dryfit::simulator {

void PoolStatistics::reset_peaks() {
  for (Stat* stat : {&allocation, &allocated_bytes, &active, &active_bytes, &requested_bytes, &segment, &reserved_bytes,
                     &inactive_split, &inactive_split_bytes}) {
    stat->reset_peak();
  }
}

void Statistics::reset_peaks() {
  for (PoolStatistics* pool : {&all, &small_pool, &large_pool}) pool->reset_peaks();
  oversize_allocations.reset_peak();
  oversize_segments.reset_peak();
}

}  // namespace dryfit::simulator
