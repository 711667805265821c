// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The answer of Prometheus' /api/v1/query_range to a query of DCGM_FI_DEV_FB_USED, which is in MiB and of all
/// processes on the card; an instant query (max_over_time) will do. The series of one job (label hpc_job, or namespace
/// and pod) on one host are one record, the peak that of its fullest card; a series of no job is called by its card and
/// the time of its first sample.
Result<Imported> import_prometheus(std::string_view text);

}  // namespace dryfit::history
