// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/temporary_folder.h"

/// Shared by the tests in this folder.
namespace dryfit::launch {

inline void write_file(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

inline void write_program(const std::filesystem::path& path, std::string_view text) {
  write_file(path, text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace dryfit::launch
