// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels_by_processor.h"

#ifdef __AVX2__

namespace dryfit::predictor {
namespace {

#include "predictor/kernels.inc"

}  // namespace

const Kernels kAvx2Kernels{linear, gelu, layer_norm, gru, attention, "avx2"};

}  // namespace dryfit::predictor

#endif
