// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "predictor/kernels.h"

namespace dryfit::predictor {

/// One per file kernels_<name>.cpp, each compiled for its instruction set. The last two exist on x86-64 only, and may
/// be called only if the processor has that instruction set.
extern const Kernels kPlainKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

}  // namespace dryfit::predictor
