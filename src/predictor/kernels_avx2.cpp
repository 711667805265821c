// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels_by_processor.h"

#ifdef __AVX2__

namespace dryfit::predictor {
namespace {

constexpr std::size_t kRegisterBytes = 32;
constexpr std::size_t kTogether = 6;

#include "predictor/kernels.inc"

}  // namespace

const Kernels kAvx2Kernels{linear, add_linear, gelu, layer_norm, mean, bigru, attention, log1p, "avx2"};

}  // namespace dryfit::predictor

#endif
