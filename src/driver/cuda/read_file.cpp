// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace dryfit::driver {

std::vector<char> read_file(const char* path) {
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  std::vector<char> bytes;
  char buffer[1 << 16];
  for (ssize_t got; (got = read(file.get(), buffer, sizeof buffer)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + got);
  return bytes;
}

}  // namespace dryfit::driver
