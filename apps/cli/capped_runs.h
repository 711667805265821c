// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run_session.h"
#include "verdict/cap_search.h"

namespace dryfit::cli {

/// Runs the session's command on its first GPU with PyTorch's allocator capped, once for every cap of the search, until
/// the search is done. `alloc_conf` is added to the program's own allocator configuration; empty: nothing is. The Error
/// says why a run with a cap shows nothing: it failed for another reason than memory, or was interrupted.
Status search_by_dry_runs(const Session& session, const std::string& alloc_conf, verdict::CapSearch& search);

}  // namespace dryfit::cli
