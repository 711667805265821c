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
/// timm's benchmark trains. Groups are modules. Operations are 6 per multiply-add of convolutions and linear layers, so
/// that the table is scored in achieved_tflops().
///
/// If the number of parameters in a row's features differs from the measured one by more than 2 %, the row is not
/// described: its name means another model today (ig_resnext101_32x48d). It is still predicted.
Result<std::vector<ComputeExample>> timm_steps(const ThroughputTables& tables, std::string_view protocol,
                                               const Catalogue& catalogue);

}  // namespace dryfit::predictor
