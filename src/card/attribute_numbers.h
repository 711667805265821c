// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dryfit {

// Numbers of CUdevice_attribute, for code that has no CUDA headers.
inline constexpr int kClockRate = 13;                    ///< CU_DEVICE_ATTRIBUTE_CLOCK_RATE, kHz
inline constexpr int kMultiprocessorCount = 16;          ///< CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
inline constexpr int kMemoryClockRate = 36;              ///< CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, kHz
inline constexpr int kGlobalMemoryBusWidth = 37;         ///< CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, bits
inline constexpr int kMaxThreadsPerMultiprocessor = 39;  ///< CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR

}  // namespace dryfit
