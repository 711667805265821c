// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "verdict/device_total.h"
#include "verdict/memory_failure.h"
#include "verdict/verdict.h"

/// What could turn an answer (docs/decisions/0006-verdict-confidence.md says why, and where the allowances come from).
namespace dryfit::verdict {

/// How much the order of addresses was seen to move what PyTorch reserves: 2.4 % at most.
inline constexpr double kAddressOrderShare = 0.025;

/// Of the card's memory: less headroom than this is little, where the peak depends on a choice by timing, or was still
/// growing when the run was stopped.
inline constexpr double kLittleHeadroom = 0.05;

/// Of the card's memory: less than this is little, where a size was assumed below the largest it could have, or sizes
/// that depend on data came out empty.
inline constexpr double kAssumedHeadroom = 0.25;

/// Of what PyTorch reserves: an estimate may be off by this much. The worst of docs/estimate.md was less.
inline constexpr double kEstimateShare = 0.05;

/// Why a job that fitted could fail on a real card; empty: nothing known speaks against it. The numbers of the device
/// and its interval must be in `verdict` already.
std::vector<Caveat> caveats_of_fit(const Verdict& verdict, const RunFacts& facts);

/// Why a job that ran out of memory might not do so on a real card. `device` is the one that was full.
std::vector<Caveat> caveats_of_failure(const Verdict& verdict, const DeviceTotal& device, const MemoryFailure& failure);

}  // namespace dryfit::verdict
