// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels_by_processor.h"

namespace dryfit::predictor {
namespace {

#include "predictor/kernels.inc"

}  // namespace

const Kernels kPlainKernels{linear, gelu, layer_norm, gru, attention, "plain"};

}  // namespace dryfit::predictor
