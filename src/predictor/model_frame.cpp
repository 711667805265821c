// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_frame.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "base/crc64.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kHeader = 24;
constexpr std::size_t kTrailer = 8;
constexpr std::string_view kFamily = "dryfit";

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

Error wrong_kind(const ModelKind& kind, std::string_view bytes, const std::string& name) {
  const bool is_other = bytes.size() >= kind.magic.size() && bytes.starts_with(kFamily) && bytes[7] == '\n';
  if (is_other) return {name + ": a Dryfit model of another kind", "Give " + std::string(kind.what) + "."};
  return {name + ": not a Dryfit model file", ""};
}

}  // namespace

Error damaged_model(const std::string& name) {
  return {name + ": the model file is damaged", "Copy it again from its source, or train it again."};
}

std::string framed(const ModelKind& kind, const std::string& body) {
  BodyWriter header;
  header.number(kind.version);
  header.number(std::uint32_t{0});
  header.number(static_cast<std::uint64_t>(body.size()));
  std::string bytes = std::string(kind.magic) + header.take() + body;
  BodyWriter trailer;
  trailer.number(crc64(bytes));
  return bytes + trailer.take();
}

Result<std::string_view> body_in(const ModelKind& kind, std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kind.magic)) return wrong_kind(kind, bytes, name);
  if (bytes.size() < kHeader + kTrailer) return damaged_model(name);
  const auto version = number_at<std::uint32_t>(bytes, 8);
  if (version > kind.version) {
    return Error{name + ": the model file is of version " + std::to_string(version) + "; this Dryfit reads up to " +
                     std::to_string(kind.version),
                 "Update Dryfit, or use an older model."};
  }
  const auto size = number_at<std::uint64_t>(bytes, 16);
  const auto checked = bytes.substr(0, bytes.size() - kTrailer);
  if (version == 0 || size != bytes.size() - kHeader - kTrailer) return damaged_model(name);
  if (crc64(checked) != number_at<std::uint64_t>(bytes, checked.size())) return damaged_model(name);
  return checked.substr(kHeader);
}

Result<std::string> read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be opened", "Give the path of a model file."};
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

Status write_bytes(const std::string& bytes, const std::filesystem::path& file) {
  auto beside = file;
  beside += ".new." + std::to_string(::getpid());
  std::ofstream stream(beside, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code problem;
  if (stream) std::filesystem::rename(beside, file, problem);
  if (stream && !problem) return {};
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return Error{file.string() + ": cannot be written", "Check that the folder exists and the disk is not full."};
}

}  // namespace dryfit::predictor
