// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "snapshot/snapshot.h"
#include "verdict/verdict.h"
#include "whatif/limits.h"

namespace dryfit::cli {

/// Whether the job may go on with less where its libraries are refused memory.
bool uses_cudnn(const verdict::Verdict& verdict);

/// What a scan of caps comes to on a GPU. `outside`: the upper bound of the memory outside PyTorch.
verdict::Limits limits_of(const whatif::CapScan& scan, Bytes outside, bool uses_cudnn);

/// The limits of a job that fits, by replay of its requests; none where these do not show them.
std::optional<verdict::Limits> limits_by_replay(const verdict::Verdict& verdict, const whatif::Recording& recording);

/// The same for the snapshot of a dry run. None also where several processes share the GPU.
std::optional<verdict::Limits> limits_by_replay(const verdict::Verdict& verdict, const snapshot::Snapshot& snapshot);

}  // namespace dryfit::cli
