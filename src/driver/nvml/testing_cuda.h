// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Exported by the tests' libcuda.so.1: sets what dryfit_device_used returns from now on.
extern "C" void testing_set_used(int cuda_device, std::uint64_t bytes);
