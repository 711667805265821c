// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/events.h"

namespace dryfit::driver {

/// The file name of the shared library that contains a return address ("libcublas.so.12"), interned in the capture.
/// Libraries with a CUDA runtime of their own inside show up under their own name; PyTorch's allocator calls through
/// the shared libcudart.
trace::NameId calling_library(const void* return_address);

}  // namespace dryfit::driver
