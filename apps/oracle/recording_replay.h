// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "mismatch.h"
#include "recording.h"

namespace dryfit::oracle {

/// Starts where the recording starts and replays it up to the first difference: every allocation must lie at its
/// recorded address, segments must be asked for and given back exactly when the recording says so, and the end must be
/// the recorded one. New segments lie where the recording says.
Result<Comparison> replay_recording(const Recording& recording);

}  // namespace dryfit::oracle
