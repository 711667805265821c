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

/// Memory of a card when none is asked for: more than any has.
inline constexpr Bytes kNoCard{std::uint64_t{1} << 40};

/// Under what a recording is played.
struct Conditions {
  simulator::TorchVersion torch;
  simulator::AllocConfig config;
  Bytes total = kNoCard;           ///< memory of the card
  Bytes outside;                   ///< of it, what PyTorch's allocator does not get
  std::optional<double> fraction;  ///< torch.cuda.set_per_process_memory_fraction
  AddressOrder address_order = AddressOrder::chunk;
};

}  // namespace dryfit::whatif
