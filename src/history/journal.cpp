// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/journal.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

namespace dryfit::history {
namespace {

/// f_type of statfs(2).
constexpr std::array<std::uint32_t, 11> kShared{
    0x6969,      // NFS
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0x00C36400,  // Ceph
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x517B,      // SMB
    0x5346414F,  // AFS
    0x01021997,  // 9P
    0x65735546,  // FUSE
};

Result<std::string> journal_of(Database& database, const std::string& sql) {
  auto statement = database.prepare(sql);
  if (!statement) return statement.error();
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->text(0) : std::string();
}

}  // namespace

bool is_shared(const std::filesystem::path& folder) {
  struct statfs system{};
  if (::statfs(folder.c_str(), &system) != 0) return false;
  return std::ranges::find(kShared, static_cast<std::uint32_t>(system.f_type)) != kShared.end();
}

Status choose_journal(Database& database, std::chrono::milliseconds patience) {
  const std::string wanted = is_shared(std::filesystem::absolute(database.file()).parent_path()) ? "delete" : "wal";
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    const auto journal = journal_of(database, "PRAGMA journal_mode = " + wanted);
    if (journal && *journal == wanted) return {};
    const bool may_change = journal || database.is_locked();
    if (!may_change || std::chrono::steady_clock::now() >= deadline) {
      return journal ? Error{"history '" + database.file().string() +
                                 "': its file system doesn't support the journal mode '" + wanted + "'",
                             "Name a file on another file system with --history."}
                     : journal.error();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace dryfit::history
