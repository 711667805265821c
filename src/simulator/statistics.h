// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace dryfit::simulator {

/// One of PyTorch's counters. "allocated" and "freed" of its memory_stats are total_up() and total_down().
class Stat {
 public:
  void increase(std::uint64_t amount) {
    current_ += amount;
    up_ += amount;
    if (current_ > peak_) peak_ = current_;
  }
  void decrease(std::uint64_t amount) { current_ -= amount; }
  void change(std::int64_t amount) {
    if (amount > 0) increase(static_cast<std::uint64_t>(amount));
    if (amount < 0) decrease(static_cast<std::uint64_t>(-amount));
  }
  void reset_peak() { peak_ = current_; }

  std::uint64_t current() const { return current_; }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t total_up() const { return up_; }
  std::uint64_t total_down() const { return up_ - current_; }

 private:
  std::uint64_t current_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t up_ = 0;
};

/// The counters of one kind of pool (or of both together), under PyTorch's names.
struct PoolStatistics {
  Stat allocation;       ///< live user allocations
  Stat allocated_bytes;  ///< whole blocks: rounding and unsplit slack included
  Stat active;           ///< allocated, or waiting for events
  Stat active_bytes;
  Stat requested_bytes;  ///< as requested, for active blocks
  Stat segment;          ///< cudaMalloc segments
  Stat reserved_bytes;   ///< from CUDA; of expandable segments, the mapped bytes
  Stat inactive_split;   ///< free blocks of split segments, except expandable ones
  Stat inactive_split_bytes;

  void reset_peaks();
};

struct Statistics {
  PoolStatistics all;
  PoolStatistics small_pool;
  PoolStatistics large_pool;
  Stat oversize_allocations;
  Stat oversize_segments;
  std::uint64_t num_alloc_retries = 0;
  std::uint64_t num_ooms = 0;
  std::uint64_t num_oom_rejections = 0;
  std::uint64_t num_sync_all_streams = 0;

  void reset_peaks();
};

}  // namespace dryfit::simulator
