// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace dryfit::verdict {

/// How limits were obtained.
enum class LimitSource {
  replay,     ///< the recorded requests, replayed under other caps
  dry_runs,   ///< confirmed by running the program under these caps
  prediction  ///< the upper bound of a learned model; nothing was tried
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

/// What a job does with one cap on PyTorch's allocator.
struct CapPoint {
  Bytes cap;
  bool runs = false;
  std::optional<double> retries_per_step;  ///< in the long run; infinity: then it fails; none: not known, or fails
  LimitSource source = LimitSource::replay;
};

/// A job under many caps: what `dryfit limits` adds to the limits of a verdict.
struct CapStudy {
  std::vector<CapPoint> curve;             ///< the largest cap first; a failure above a cap that runs is a hole
  std::optional<Limits> expandable;        ///< with expandable_segments:True, where that needs less
  std::vector<CapPoint> expandable_curve;  ///< empty where `expandable` is
  std::size_t dry_runs = 0;                ///< that were made with a cap
};

/// The smallest fraction of four digits, in ten-thousandths, under which PyTorch may reserve at least `cap` on a GPU
/// with this much memory, however the version rounds. None: the GPU has less.
std::optional<std::uint32_t> fraction_for(Bytes cap, Bytes total);

/// "0.4787"
std::string fraction_text(std::uint32_t ten_thousandths);

}  // namespace dryfit::verdict
