// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "driver/cuda/api.h"

namespace dryfit::driver {

/// The CUDA runtime's request that its driver identify itself.
struct HandshakeQuestion {
  std::uint32_t version;      ///< ten times the runtime's version, plus the number of the request
  std::uint64_t seconds;      ///< the runtime's clock
  const void* runtime_table;  ///< the private tables it received earlier
  const void* handshake_table;
  const void* handshake_function;
};

/// The answer, in two words. CUDA_ERROR_NOT_SUPPORTED in a build without the handshake (DRYFIT_RUNTIME_HANDSHAKE=OFF):
/// the runtime then reports that it has no driver. See docs/decisions/0001-a-stand-in-driver.md.
CUresult answer_handshake(const HandshakeQuestion& question, std::uint64_t answer[2]);

}  // namespace dryfit::driver
