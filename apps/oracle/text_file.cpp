// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "text_file.h"

#include <lzma.h>

#include <charconv>
#include <fstream>
#include <iterator>

namespace dryfit::oracle {
namespace {

Result<std::string> unpack(const std::string& packed, const std::string& path) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, 0) != LZMA_OK) return Error{"liblzma failed to initialise", ""};
  std::string text;
  std::string piece(1 << 20, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    stream.avail_out = piece.size();
    state = lzma_code(&stream, LZMA_FINISH);
    text.append(piece, 0, piece.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (state != LZMA_STREAM_END) return Error{"'" + path + "' is not a complete .xz file", ""};
  return text;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"cannot read '" + path + "'", ""};
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return path.ends_with(".xz") ? unpack(text, path) : Result<std::string>(std::move(text));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? std::vector<std::string_view>{} : split(text, '\n');
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> to_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace dryfit::oracle
