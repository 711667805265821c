// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "mismatch.h"
#include "recording.h"

namespace dryfit::oracle {

/// Starts where the recording starts and replays it up to the first difference: every allocation must be at its
/// recorded address, segments must be requested and released exactly when the recording says so, and the final state
/// must be the recorded one. New segments are placed where the recording has them.
Result<Comparison> replay_recording(const Recording& recording);

}  // namespace dryfit::oracle
