// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/evaluation.h"

namespace dryfit::evaluate {

/// Adds the geometric means that are asked for: "NAME=COLUMN+COLUMN+...", of columns that are there or were added
/// before. An Error when one is not there, or there is no name.
Status add_blends(const std::vector<std::string>& blends, std::vector<predictor::Contender>& contenders);

}  // namespace dryfit::evaluate
