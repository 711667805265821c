// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "base/result.h"
#include "history/database.h"

namespace dryfit::history {

/// Whether `folder` is shared with other machines: NFS, Lustre, GPFS, BeeGFS, Ceph, SMB, AFS, 9P or FUSE.
bool is_shared(const std::filesystem::path& folder);

/// Note [Journal]. With a write-ahead log, readers and one writer do not wait for each other. But its index is memory
/// that processes share, which processes on different machines cannot (sqlite.org/wal.html); on a shared file system we
/// keep a rollback journal instead, and its locks are those of the file system. Waits up to `patience` for processes
/// that open the same new file, which SQLite itself does not; for nothing else.
Status choose_journal(Database& database, std::chrono::milliseconds patience = std::chrono::seconds(30));

}  // namespace dryfit::history
