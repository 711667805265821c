// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// The snapshot as PyTorch pickles it (protocol 4): torch.cuda._memory_viz, PyTorch's memory_viz page and
/// read_snapshot() open it. The same snapshot gives the same bytes.
std::string to_pickle(const Snapshot& snapshot);

}  // namespace dryfit::snapshot
