// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "verdict/device_total.h"
#include "verdict/memory_failure.h"
#include "verdict/verdict.h"

/// What could change an answer (docs/decisions/0006-verdict-confidence.md explains why, and where the allowances come
/// from).
namespace dryfit::verdict {

/// The order of addresses was seen to change what PyTorch reserves by 2.4 % at most.
inline constexpr double kAddressOrderShare = 0.025;

/// Share of the GPU's memory: less headroom than this is small where the peak depends on a choice by timing, or was
/// still growing when the run was stopped.
inline constexpr double kLittleHeadroom = 0.05;

/// Share of the GPU's memory: less headroom than this is small where a size was assumed to be below the largest
/// possible, or where sizes that depend on data came out as zero.
inline constexpr double kAssumedHeadroom = 0.25;

/// A run that the timeout stopped before this many steps has not seen enough, if no other number was planned.
inline constexpr std::uint64_t kUsualSteps = 3;

/// Share of what PyTorch reserves: an estimate may be off by this much. The worst in docs/estimate.md was less.
inline constexpr double kEstimateShare = 0.05;

/// Why a job that fitted could fail on a real GPU; empty: no known reason. The numbers of the device
/// and its interval must be in `verdict` already.
std::vector<Caveat> caveats_of_fit(const Verdict& verdict, const RunFacts& facts);

/// Why a job that ran out of memory might not do so on a real GPU. `device` is the one that was full.
std::vector<Caveat> caveats_of_failure(const Verdict& verdict, const DeviceTotal& device, const MemoryFailure& failure);

}  // namespace dryfit::verdict
