// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "estimate/profile.h"

namespace dryfit::estimate {

/// Something of a profile that is not the host's alone: an operator that begins, a block that comes or goes.
struct CardEvent {
  enum class Kind { span, alloc, free };
  Kind kind = Kind::span;
  std::size_t index = 0;  ///< into Profile::spans, or Profile::memory
  std::size_t block = 0;  ///< the same number for the allocation and its free, counted from 0; 0 for spans
};

/// Those of a profile, in the order of time. Left out are the annotations `dryfit::host` and `dryfit::to_host` and a
/// DataLoader's (docs/estimate.md) with all in them, blocks that were allocated there, frees of blocks that are not
/// known, what happened on other threads than the one with most operators, temporaries of kernels of which a card has
/// none (drops_temporaries), and operators within another that neither allocate nor free: how a kernel of the CPU does
/// its work may depend on how much it is.
std::vector<CardEvent> card_events(const Profile& profile);

}  // namespace dryfit::estimate
