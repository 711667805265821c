// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "predictor/out_of_fold.h"
#include "predictor/timm_memory.h"

namespace dryfit::training {

using Jobs = std::vector<predictor::MeasuredJob>;
using predictor::Learner;
using predictor::Report;

}  // namespace dryfit::training
