// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace dryfit::estimate {

/// Bytes that arrive in portions.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills the beginning of `room`; fewer bytes than it holds only at the end, 0 after it.
  virtual std::size_t read(std::span<char> room) = 0;
  /// Why the end came early ("its compressed data is cut off"); empty: it did not.
  virtual const std::string& damage() const = 0;
  /// How much of the file has been read, from 0 to 1; for compressed files, in compressed bytes.
  virtual double progress() const = 0;
};

/// A file, decompressed if it is a gzip file (recognised by its first bytes, not by its name).
Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path);

/// Text that is in memory already, and must stay there.
std::unique_ptr<ByteSource> from_memory(std::string_view text);

}  // namespace dryfit::estimate
