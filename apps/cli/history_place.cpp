// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history_place.h"

#include <system_error>

#include "launch/environment.h"

namespace dryfit::cli {

namespace fs = std::filesystem;

Result<fs::path> history_file(const fs::path& named, const std::vector<std::string>& environment) {
  if (!named.empty()) return named;
  // The XDG specification says to ignore relative paths.
  const auto data = launch::value_of(environment, "XDG_DATA_HOME");
  if (data && fs::path(*data).is_absolute()) return fs::path(*data) / "dryfit" / "history.db";
  const auto home = launch::value_of(environment, "HOME");
  if (home && !home->empty()) return fs::path(*home) / ".local" / "share" / "dryfit" / "history.db";
  return Error{"no default file for the history: neither XDG_DATA_HOME nor HOME is set", "Name a file with --history."};
}

Result<fs::path> existing_history(const fs::path& named, const std::vector<std::string>& environment) {
  auto file = history_file(named, environment);
  std::error_code ignored;
  if (file && !fs::exists(*file, ignored)) {
    return Error{"no history at '" + file->string() + "'",
                 "Start one with `dryfit observe`, or name another file with --history."};
  }
  return file;
}

}  // namespace dryfit::cli
