// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"

namespace dryfit::nvml {

// Queries to the stand-in libcuda.so.1, if this process has loaded it. A process without it, or with another libcuda,
// uses no memory of the modelled cards. `ordinal` counts Machine::cards, as NVML's own index does; under
// CUDA_VISIBLE_DEVICES the CUDA device of the same card may have another number, so cards are matched by PCI bus id.

/// Memory that this process holds on the card; 0 if the card is hidden from CUDA or CUDA is not in use.
Bytes used_memory(int ordinal);

/// Whether CUDA would let one card read the other's memory.
bool peers_can_access(int ordinal, int peer_ordinal);

}  // namespace dryfit::nvml
