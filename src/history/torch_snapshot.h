// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "history/imported.h"
#include "snapshot/snapshot.h"

namespace dryfit::history {

/// The most that PyTorch had reserved while the history was recorded, on the device where that was most. A program
/// whose last request failed wanted at least that request more. An Error when nothing was recorded.
Result<Imported> import_torch_snapshot(const snapshot::Snapshot& snapshot);

}  // namespace dryfit::history
