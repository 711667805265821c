// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/socket_name.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace dryfit::launch {
namespace {

/// Columns of a line of the table.
constexpr std::size_t kLocal = 1, kRemote = 2, kState = 3, kInode = 9;
constexpr std::string_view kListens = "0A";
/// An IPv4 address in eight hexadecimal digits, and the last part of an IPv6 address that holds one.
constexpr std::size_t kDigits = 8;

std::uint32_t hexadecimal(std::string_view digits) {
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

std::string port_of(std::string_view address) {
  return std::to_string(hexadecimal(address.substr(address.find(':') + 1)));
}

/// "0100007F:733C" → "127.0.0.1:29500"; of an IPv6 address the last part.
std::string text_of(std::string_view address) {
  const auto digits = address.substr(0, address.find(':'));
  const auto number = hexadecimal(digits.substr(digits.size() - kDigits));
  std::string text;
  for (int byte = 0; byte < 4; ++byte) {
    text += (byte == 0 ? "" : ".") + std::to_string(number >> (8 * byte) & 0xff);
  }
  return text + ":" + port_of(address);
}

std::vector<std::string> columns_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

bool is_address(std::string_view text) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && colon >= kDigits;
}

}  // namespace

std::string socket_in_table(std::string_view table, std::string_view inode) {
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    const auto columns = columns_of(line);
    if (columns.size() <= kInode || columns[kInode] != inode) continue;
    if (!is_address(columns[kLocal]) || !is_address(columns[kRemote])) return "";
    if (columns[kState] == kListens) return "a socket that listens on port " + port_of(columns[kLocal]);
    return "a socket connected to " + text_of(columns[kRemote]);
  }
  return "";
}

std::string socket_name(std::string_view link) {
  const auto begin = link.find('['), end = link.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos) return "a socket";
  const auto inode = link.substr(begin + 1, end - begin - 1);
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (auto name = socket_in_table(text, inode); !name.empty()) return name;
  }
  return "a socket";
}

}  // namespace dryfit::launch
