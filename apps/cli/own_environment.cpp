// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "own_environment.h"

#include <unistd.h>

#include "launch/environment.h"

namespace dryfit::cli {

std::vector<std::string> own_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) result.emplace_back(*entry);
  return result;
}

std::optional<std::filesystem::path> own_cache(const std::string& name) { return own_cache(name, own_environment()); }

std::optional<std::filesystem::path> own_cache(const std::string& name, const std::vector<std::string>& environment) {
  namespace fs = std::filesystem;
  // The XDG specification says that relative paths must be ignored.
  const auto cache = launch::value_of(environment, "XDG_CACHE_HOME");
  if (cache && fs::path(*cache).is_absolute()) return fs::path(*cache) / "dryfit" / name;
  const auto home = launch::value_of(environment, "HOME");
  if (home && fs::path(*home).is_absolute()) return fs::path(*home) / ".cache" / "dryfit" / name;
  return std::nullopt;
}

}  // namespace dryfit::cli
