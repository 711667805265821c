// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "driver/cuda/api.h"
#include "trace/events.h"

namespace dryfit::driver {

/// The core of every allocating entry point: memory on the device of the current context, or the documented
/// error.
CUresult allocate_on_device(CUdeviceptr* address, Bytes size, trace::Purpose purpose, trace::NameId library);
CUresult free_on_device(CUdeviceptr address);

}  // namespace dryfit::driver
