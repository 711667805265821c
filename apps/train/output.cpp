// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <system_error>

namespace dryfit::training {

int fail(const Error& error, int code) {
  std::fprintf(stderr, "dryfit-train: %s\n", error.what.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", error.hint.c_str());
  return code;
}

std::function<void(const std::string& line)> progress() {
  return [begin = std::chrono::steady_clock::now()](const std::string& line) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "%7.0f s  %s\n", passed.count(), line.c_str());
  };
}

Status check_folder_of(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return {};
  return Error{folder.string() + ": no such folder", "Create it, or write elsewhere."};
}

Status write_text(const std::string& text, const std::filesystem::path& file) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return {};
  return Error{file.string() + ": cannot be written", "Check that the disk is not full."};
}

}  // namespace dryfit::training
