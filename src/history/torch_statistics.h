// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// A JSON object from torch.cuda.memory_stats() ("reserved_bytes.all.peak") or memory_stats_as_nested_dict(). `kind` is
/// reserved or allocated. A job that raised an OutOfMemoryError (num_ooms) needed more than its peak.
Result<Imported> import_torch_statistics(std::string_view text, PeakKind kind = PeakKind::reserved);

}  // namespace dryfit::history
