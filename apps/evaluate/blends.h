// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/evaluation.h"

namespace dryfit::evaluate {

/// Adds a geometric mean for each "NAME=COLUMN+COLUMN+..."; a column may be an earlier blend. An Error when a column or
/// the name is missing.
Status add_blends(const std::vector<std::string>& blends, std::vector<predictor::Contender>& contenders);

}  // namespace dryfit::evaluate
