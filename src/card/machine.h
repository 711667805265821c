// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "card/card.h"

namespace dryfit {

/// The order in which a platform's driver hands out the addresses of new device allocations. PyTorch's allocator breaks
/// ties by address, so the order can show in the peak (Note [Address order] in card/address_space.h).
enum class AddressOrder {
  chunk,       ///< native Linux: 32 MiB chunks from the top down, their remainders first, lowest first
  ascending,   ///< WSL2, gVisor: upwards, one after the other
  descending,  ///< strictly downwards; for comparisons
  recorded,    ///< as in a recording: Machine::recorded_segments
};

/// A device allocation of a recorded run.
struct RecordedSegment {
  Bytes size;
  std::uint64_t address = 0;
};

/// "chunk"
std::string_view to_text(AddressOrder order);

/// The modelled machine that a stand-in driver plays for one process tree: what the launcher hands to the driver.
struct Machine {
  int driver_version = 13040;  ///< what cuDriverGetVersion answers
  AddressOrder address_order = AddressOrder::chunk;
  std::vector<RecordedSegment> recorded_segments;  ///< in the order in which they were made; for `recorded` only
  std::vector<Card> cards;                         ///< in the order of their CUDA ordinals
};

/// The machine as lines of text. No TOML here: the reader lives in the user's process and must stay small.
///
///     dryfit-machine 1
///     driver 13040
///     addresses chunk
///     segment <size> <address>        (any number of them, after `addresses recorded`)
///     card rtx-3060-12gb
///     name NVIDIA GeForce RTX 3060
///     architecture Ampere
///     capability 8 6
///     memory 12622168064 <context_memory> <context_spread>
///     launch <launch_memory>
///     held <held_by_others>           (if other jobs use the GPU too)
///     gpcs 10 10 8
///     attribute 16 28
///     end
std::string to_text(const Machine& machine);
Result<Machine> parse_machine(std::string_view text);

}  // namespace dryfit
