// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "estimate/growth.h"
#include "estimate/profile.h"

namespace dryfit::estimate {

/// A profile of the job at a smaller batch than the one to estimate.
struct Shrunk {
  std::uint64_t batch = 0;
  Profile profile;
};

/// The profile at the requested batch, and how many of the GPU's blocks grow how.
struct Extrapolated {
  Profile profile;
  std::size_t constant = 0;
  std::size_t proportional = 0;
  std::size_t affine = 0;
};

/// The profile of the same job at `batch`, from those at two or more others (Note [Growth with the batch]).
///
/// Note [Matching traces]: the same program at another batch calls the same operators in the same order, and allocates
/// and frees the same blocks. What happens on the host alone does not count: a DataLoader calls more for more samples.
/// We compare everything else operator by operator and block by block; each size of a block and each dimension of an
/// operator's inputs must grow as proven. Otherwise the whole is refused, and the Error names the first operator that
/// does not grow so. Times and the host's part are those of the smallest batch.
Result<Extrapolated> extrapolate(std::vector<Shrunk> shrunk, std::uint64_t batch);

}  // namespace dryfit::estimate
