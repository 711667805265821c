// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "verdict/limits.h"

namespace dryfit::verdict {

/// How a dry run with a cap ended.
struct CapTrial {
  Bytes cap;
  bool runs = false;
  std::uint64_t retries = 0;
};

/// Finds the comfortable and the least cap of a job by dry runs.
///
/// Note [Scan by dry runs]
/// A replay sees only the recorded requests. A library that is refused its memory may ask for less (cuDNN's
/// workspaces), so a job may run with a smaller cap than the replay says; and it may fail with a larger one. Running is
/// not monotone in the cap either (Note [Scanning caps] in whatif/limits.h), so a bisection could end at the edge of any
/// hole. So the job is run with the comfortable cap of the replay, then at each whole percent of the GPU below it, and
/// with the least cap of the replay when the scan comes by, until a run fails. Every cap above the comfortable one is
/// the same run: it never asks for more. If the comfortable cap turns out to need a retry, the scan goes up first.
class CapSearch {
 public:
  /// What a replay says, on a GPU with this much memory.
  CapSearch(Bytes total, Bytes comfortable, Bytes least);

  /// The caps to try next, at most so many; empty: it is done. Each call expects notes of all the caps before.
  std::vector<Bytes> next(std::size_t most) const;
  void note(const CapTrial& trial);

  /// Whether a cap was found that runs. False while none was, and where none does.
  bool found() const;
  /// The smallest without a retry, from which every larger one that was tried has none either; none: each needs retries.
  std::optional<Bytes> comfortable() const;
  /// The smallest from which every larger one that was tried runs.
  Bytes least() const;
  /// The largest cap first.
  const std::vector<CapTrial>& trials() const { return trials_; }

 private:
  bool is_comfort_known() const;
  Bytes above(Bytes cap) const;
  Bytes below(Bytes cap) const;

  Bytes total_;
  Bytes start_;
  Bytes hint_;  ///< the least cap of the replay
  std::vector<CapTrial> trials_;
};

}  // namespace dryfit::verdict
