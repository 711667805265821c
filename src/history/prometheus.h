// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The answer of Prometheus' /api/v1/query_range to a query for DCGM_FI_DEV_FB_USED, which is in MiB and covers all
/// processes on the GPU; an instant query (max_over_time) works too. The series of one job (label hpc_job, or namespace
/// and pod) on one host become one record with the peak of the job's fullest GPU; a series without a job is named after
/// its GPU and the time of its first sample.
Result<Imported> import_prometheus(std::string_view text);

}  // namespace dryfit::history
