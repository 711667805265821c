// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "estimate/profile.h"

namespace dryfit::estimate {

/// An event of a profile that concerns the GPU: an operator begins, a block is allocated or freed.
struct CardEvent {
  enum class Kind { span, alloc, free };
  Kind kind = Kind::span;
  std::size_t index = 0;  ///< into Profile::spans, or Profile::memory
  std::size_t block = 0;  ///< the same number for the allocation and its free, counted from 0; 0 for spans
};

/// All such events of a profile, in the order of time. Left out are: the annotations `dryfit::host`, `dryfit::to_host`
/// and those of a DataLoader (docs/estimate.md) with everything in them; blocks that were allocated there; frees of
/// unknown blocks; threads other than the one with most operators; temporaries of kernels that have none on a GPU
/// (drops_temporaries); and operators within another that neither allocate nor free, because how a CPU kernel does its
/// work may depend on the amount of work.
std::vector<CardEvent> card_events(const Profile& profile);

}  // namespace dryfit::estimate
