// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

namespace dryfit::snapshot {
namespace {

Error cannot_read(const std::filesystem::path& path, const char* why) {
  return {"cannot read '" + path.string() + "': " + why, ""};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Checked before opening: opening a pipe would wait for its writer.
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return cannot_read(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return cannot_read(path, "it is not a regular file");
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return cannot_read(path, std::strerror(errno));
  if (::fstat(file.get(), &status) != 0) return cannot_read(path, std::strerror(errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return cannot_read(path, std::strerror(errno));
  return MappedFile(data, size);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace dryfit::snapshot
