// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

/// Note [Model frame]
/// The frame that all model files have around their body. Numbers are little-endian.
///
///   0   8   the kind: "dryfitm\n" is a MemoryModel, "dryfitj\n" a JobModel, "dryfitc\n" a ComputeModel
///   8   4   version
///   12  4   0
///   16  8   size of the body in bytes
///   24  n   the body
///   24+n 8  CRC-64 (ECMA-182, reflected, as in xz) of everything before it
struct ModelKind {
  std::string_view magic;  ///< 8 bytes
  std::uint32_t version;   ///< the one that is written; older ones are read, newer ones refused
  std::string_view what;   ///< "a model of job descriptions"
};

std::string framed(const ModelKind& kind, const std::string& body);

/// The body, which is part of `bytes`. An Error if they are not such a model, of a newer version, cut off or damaged.
/// Errors call it `name`.
Result<std::string_view> body_in(const ModelKind& kind, std::string_view bytes, const std::string& name);

/// The Error for a body that does not match its kind.
Error damaged_model(const std::string& name);

Result<std::string> read_bytes(const std::filesystem::path& file);

/// An existing file is replaced atomically.
Status write_bytes(const std::string& bytes, const std::filesystem::path& file);

/// Writes a body piece by piece.
class BodyWriter {
 public:
  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void size(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
  void text(const std::string& value) {
    size(value.size());
    bytes_ += value;
  }
  template <class Number>
  void list(const std::vector<Number>& values) {
    size(values.size());
    for (const auto value : values) number(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads a body piece by piece. Once something is missing, everything after it is empty and failed() is true.
class BodyReader {
 public:
  explicit BodyReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  void number(Number& value) {
    const auto bytes = take(sizeof value);
    if (!failed_) std::memcpy(&value, bytes.data(), sizeof value);
  }
  void size(std::size_t& value) {
    std::uint32_t read = 0;
    number(read);
    value = read;
  }
  void text(std::string& value) {
    std::size_t length = 0;
    size(length);
    value = take(length);
  }
  template <class Number>
  void list(std::vector<Number>& values) {
    std::size_t count = 0;
    size(count);
    const auto bytes = take(count * sizeof(Number));
    values.resize(bytes.size() / sizeof(Number));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    failed_ = failed_ || count > rest_.size();
    if (failed_) return {};
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace dryfit::predictor
