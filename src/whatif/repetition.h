// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "whatif/conditions.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// A part of a recording, by entries of the trace: from `begin` up to `end`, which is not in it.
struct EntryRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The recording up to the end of a step, and then that step again and again.
///
/// Note [Repeated step]
/// A few recorded steps do not show what a job does in the long run: with a small cap, the first retries rearrange the
/// cache, and later steps may retry more often or not at all. So the last step is played again. What it freed of what
/// was there before it (a gradient, the batch before) is in a repetition what the one before left: an allocation of the
/// same size, in the same order. What a repetition leaves beyond that is freed at its end, since a step that keeps more
/// each time would not be a step of a job that runs for long.
Recording with_repetitions(const Recording& recording, const EntryRange& step, std::size_t times);

/// How often PyTorch retries in a step in the long run. None: the job runs out of memory, then or before.
Result<std::optional<double>> retries_per_step(const Recording& recording, const EntryRange& step,
                                               const Conditions& conditions);

}  // namespace dryfit::whatif
