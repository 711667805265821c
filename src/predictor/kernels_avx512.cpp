// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels_by_processor.h"

#ifdef __AVX512VL__

namespace dryfit::predictor {
namespace {

constexpr std::size_t kRegisterBytes = 64;
constexpr std::size_t kTogether = 9;

#include "predictor/kernels.inc"

}  // namespace

const Kernels kAvx512Kernels{linear, add_linear, gelu, layer_norm, mean, bigru, attention, log1p, "avx512"};

}  // namespace dryfit::predictor

#endif
