// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/command_line.h"

#include <string_view>

#include "driver/cuda/read_file.h"

namespace dryfit::driver {
namespace {

constexpr std::size_t kMostBytes = 200;

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

}  // namespace

std::string command_line(std::uint32_t pid) {
  const auto bytes = read_file(("/proc/" + std::to_string(pid) + "/cmdline").c_str());
  std::string_view words(bytes.data(), bytes.size());
  const auto folder = words.substr(0, words.find('\0')).rfind('/');
  if (folder != std::string_view::npos) words.remove_prefix(folder + 1);
  while (!words.empty() && is_control(words.back())) words.remove_suffix(1);
  std::string line(words.substr(0, kMostBytes));
  for (char& c : line) {
    if (is_control(c)) c = ' ';
  }
  return line;
}

}  // namespace dryfit::driver
