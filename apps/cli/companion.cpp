// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "companion.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of(const OwnPlace& place) {
  std::vector<fs::path> folders{place.executable.parent_path()};
  if (place.called.has_parent_path()) folders.push_back(place.called.parent_path());
  std::istringstream words(place.search_path);
  for (std::string folder; std::getline(words, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool can_be_run(const fs::path& program) {
  std::error_code ignored;
  return fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0;
}

}  // namespace

Result<fs::path> find_companion(const std::string& name, const OwnPlace& place) {
  for (const auto& folder : folders_of(place)) {
    if (can_be_run(folder / name)) return folder / name;
  }
  return Error{"the program " + name + " is not installed",
               name == "dryfit-train"
                   ? "It needs libtorch. Build it in a checkout of Dryfit with `make build-training`."
                   : "Build it in a checkout of Dryfit with `make build-tests`."};
}

Error exec_program(const fs::path& program, const std::vector<std::string>& words) {
  auto name = program.string();
  std::vector<std::string> owned(words);
  std::vector<char*> arguments{name.data()};
  for (auto& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return Error{"cannot start " + program.string() + ": " + std::strerror(errno), "Build Dryfit again."};
}

}  // namespace dryfit::cli
