// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/spool.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace dryfit::estimate {
namespace {

UniqueFd nameless_file() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return {};
  auto name = (folder / "dryfit-estimate-XXXXXX").string();
  UniqueFd file(::mkstemp(name.data()));
  if (file) ::unlink(name.c_str());
  return file;
}

/// Calls `transfer(done)` for the rest until everything is done; false: it failed.
template <class Transfer>
bool transfer_all(std::size_t bytes, Transfer transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const auto moved = transfer(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

bool SpoolFile::append(const void* data, std::size_t bytes) {
  if (!file_) file_ = nameless_file();
  if (!file_) return false;
  const auto* from = static_cast<const char*>(data);
  const bool all = transfer_all(bytes, [&](std::size_t done) {
    return ::pwrite(file_.get(), from + done, bytes - done, static_cast<off_t>(written_ + done));
  });
  if (all) written_ += bytes;
  return all;
}

bool SpoolFile::read(std::uint64_t offset, void* data, std::size_t bytes) const {
  auto* to = static_cast<char*>(data);
  return transfer_all(bytes, [&](std::size_t done) {
    return ::pread(file_.get(), to + done, bytes - done, static_cast<off_t>(offset + done));
  });
}

}  // namespace dryfit::estimate
