// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/run_summary.h"
#include "verdict/verdict.h"

namespace dryfit::verdict {

/// A request for device memory that failed, and that the program did not survive.
struct MemoryFailure {
  std::uint32_t pid = 0;
  std::uint32_t slot = 0;  ///< of the device
  analysis::FailedRequest request;
  std::string library;  ///< file name of the library that made the request; empty: PyTorch
};

/// The memory failure that stopped a process of the job, if one did:
///   - PyTorch raised OutOfMemoryError and that process completed no step after it, or
///   - the program failed, and the driver's last refusal went to another library in the same step, or to PyTorch in a
///     process that the hooks did not watch.
std::optional<MemoryFailure> decisive_failure(const RunFacts& facts);

/// PyTorch raised OutOfMemoryError somewhere, and the process went on to complete steps.
bool survived_oom(const RunFacts& facts);

/// The program ended by itself, with an error.
bool failed(const RunFacts& facts);

}  // namespace dryfit::verdict
