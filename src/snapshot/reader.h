// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// Reads a pickled memory snapshot of torch 1.13 to 2.15. Code in the file is never run. What a version did not write
/// stays at its default; what makes no sense is skipped and counted. Diagnostics:
///   snapshot.unknown_action    entries of an unknown kind
///   snapshot.unusable_entry    entries, blocks or segments without an address, a size or a sensible value
/// An Error if the file is not a snapshot at all.
Result<Snapshot> read_snapshot(const std::filesystem::path& file);

/// The same from memory. `bytes` is not needed afterwards.
Result<Snapshot> parse_snapshot(std::string_view bytes);

}  // namespace dryfit::snapshot
