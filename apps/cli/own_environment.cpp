// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "own_environment.h"

#include <unistd.h>

namespace dryfit::cli {

std::vector<std::string> own_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) result.emplace_back(*entry);
  return result;
}

}  // namespace dryfit::cli
