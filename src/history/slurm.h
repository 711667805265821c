// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The output of `sacct --parsable2 -o JobID,JobName,State,Elapsed,AllocTRES,TRESUsageInMax`, with End, NodeList and
/// Cluster if they are there. A job's peak is the largest gres/gpumem of its steps. Jobs are left out and counted if
/// they did not complete (Slurm's OUT_OF_MEMORY is about host memory), had several GPUs (Slurm does not report which of
/// them the number belongs to), or have no measured GPU memory.
Result<Imported> import_sacct(std::string_view text);

}  // namespace dryfit::history
