// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/timm_memory.h"

namespace dryfit::training {

using Jobs = std::vector<predictor::MeasuredJob>;

/// Learns from some jobs and tells the peaks of others, in MiB, all above zero. The others' measured peaks are there,
/// and are not looked at.
using Learner = std::function<Result<std::vector<double>>(const Jobs& known, const Jobs& asked, std::uint64_t seed)>;

/// Is told a line of what was done, for whoever waits.
using Report = std::function<void(const std::string& line)>;

}  // namespace dryfit::training
