// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace dryfit::verdict {

/// How limits were obtained.
enum class LimitSource {
  replay,   ///< the recorded requests, replayed under other caps
  dry_runs  ///< confirmed by running the program under these caps
};

/// The memory that a job can be limited to on one GPU.
struct Limits {
  /// Device memory with which it runs as when alone: no retry, and memory outside PyTorch at its upper bound.
  Bytes to_request;
  // Caps on what PyTorch's allocator reserves (torch.cuda.set_per_process_memory_fraction):
  Bytes comfortable_cap;  ///< the smallest without a retry
  Bytes least_cap;        ///< the smallest from which every larger one runs too
  LimitSource source = LimitSource::replay;
  std::string upper_bound_because;  ///< a clause: why a smaller least cap may do; empty: it is the least
};

/// The smallest fraction of four digits, in ten-thousandths, under which PyTorch may reserve at least `cap` on a GPU
/// with this much memory, however the version rounds. None: the GPU has less.
std::optional<std::uint32_t> fraction_for(Bytes cap, Bytes total);

/// "0.4787"
std::string fraction_text(std::uint32_t ten_thousandths);

}  // namespace dryfit::verdict
