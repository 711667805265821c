// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The output of `nvidia-smi --query-accounted-apps=gpu_name,pid,time,max_memory_usage --format=csv`, whose numbers are
/// peaks; or of `nvidia-smi --query-compute-apps=gpu_name,pid,used_memory --format=csv --loop=1`, from which we take
/// the highest sample of each process. A record per process: the peak on its fullest GPU.
Result<Imported> import_nvidia_smi(std::string_view text);

}  // namespace dryfit::history
