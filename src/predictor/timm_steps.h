// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/compute_example.h"
#include "predictor/timm_throughput.h"

namespace dryfit::predictor {

/// The rows of Note [Throughput of timm's models] as jobs: fp16 under autocast, SGD with momentum, on an RTX 3090, as
/// timm's benchmark trains. Groups are modules. Operations are 6 for each multiply-add of convolutions and linear
/// layers, so that achieved_tflops() is what the table is scored in.
///
/// A row whose features have another number of parameters than was measured, by more than a fiftieth, is not described:
/// a name that means another model today (ig_resnext101_32x48d). It is still asked about.
Result<std::vector<ComputeExample>> timm_steps(const ThroughputTables& tables, std::string_view protocol,
                                               const Catalogue& catalogue);

}  // namespace dryfit::predictor
