// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "snapshot/snapshot.h"

namespace dryfit::whatif {

/// The entries of a trace before which the program called torch.cuda.empty_cache(), in order. `reserved_at_start` is
/// what was reserved before the first entry; `collects`: the recorded configuration releases memory by
/// itself before it is scarce (garbage_collection_threshold, max_split_size).
///
/// Note [Calls of empty_cache]. PyTorch does not record such a call, only that segments were released. It records the
/// same when it releases its cache because a request would fail otherwise. The two are distinguished as follows:
///   - In need, the next thing that happens is a new segment (or the OutOfMemoryError); otherwise it was a call.
///   - A call's stack names empty_cache, where frees are recorded with stacks.
///   - There was no need if what was reserved, with the new segment, is no more than was reserved at another time.
///   - In need, the stack is that of the request; PyTorch gives other frees the stack that created the segment.
/// A call that found nothing to release leaves no entry at all, and is not replayed.
std::vector<std::size_t> empty_cache_calls(const snapshot::Snapshot& snapshot,
                                           const std::vector<snapshot::Entry>& entries, Bytes reserved_at_start,
                                           bool collects);

}  // namespace dryfit::whatif
