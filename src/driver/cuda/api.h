// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The public names, without the macros that map them to their newest versions: each version is spelled out.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include "driver/cuda/caller.h"

/// An entry point of NVIDIA's driver interface.
#define DRYFIT_API(name) extern "C" __attribute__((visibility("default"))) CUresult name

/// The library that called the entry point in which this is used.
#define DRYFIT_CALLER ::dryfit::driver::calling_library(__builtin_return_address(0))
