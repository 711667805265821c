// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "card/memory_ledger.h"

namespace dryfit::nvml {

/// The processes of the run that hold memory of a card, and how much. `ordinal` counts Machine::cards. Read from the
/// ledger of the run, so CUDA need not be in use here; if there is none, this process alone as its CUDA counts.
std::vector<Holding> holders_of(int ordinal);

}  // namespace dryfit::nvml
