// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "mismatch.h"
#include "oracle_trace.h"
#include "simulator/torch_version.h"

namespace dryfit::oracle {

/// Replays a trace under a version (usually its own) and compares every column that the simulator has. An Error if that
/// version refuses the trace's config.
Result<Comparison> replay_trace(const OracleTrace& trace, simulator::TorchVersion version);

}  // namespace dryfit::oracle
