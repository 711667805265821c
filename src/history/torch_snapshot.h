// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "history/imported.h"
#include "snapshot/snapshot.h"

namespace dryfit::history {

/// The peak of PyTorch's reserved memory while the history was recorded, on the device with the highest peak. If the
/// program's last request failed, that request is added. An Error if nothing was recorded.
Result<Imported> import_torch_snapshot(const snapshot::Snapshot& snapshot);

}  // namespace dryfit::history
