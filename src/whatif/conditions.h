// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "card/machine.h"
#include "simulator/alloc_config.h"
#include "simulator/torch_version.h"

namespace dryfit::whatif {

/// Memory when no GPU is given: more than any has.
inline constexpr Bytes kNoCard{std::uint64_t{1} << 40};

/// The conditions under which a recording is replayed.
struct Conditions {
  simulator::TorchVersion torch;
  simulator::AllocConfig config;
  Bytes total = kNoCard;           ///< memory of the GPU
  Bytes outside;                   ///< the part of it that PyTorch's allocator cannot use
  std::optional<double> fraction;  ///< torch.cuda.set_per_process_memory_fraction
  std::optional<Bytes> cap;        ///< the same limit in bytes; wins over a fraction
  AddressOrder address_order = AddressOrder::chunk;
};

}  // namespace dryfit::whatif
