// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_file.h"

#include <unistd.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "predictor/crc64.h"

namespace dryfit::predictor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view kMagic = "dryfitm\n";
constexpr std::size_t kHeader = 24;
constexpr std::size_t kTrailer = 8;

class Writer {
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

/// After the first thing that is missing all is empty, and failed() is true.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

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

/// Goes over all of a model but its networks in the order of the file: with a Writer out, with a Reader in.
template <class File, class Model>
void visit(File& file, Model& model) {
  auto& card = model.card;
  for (auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) file.text(*text);
  auto& encoding = model.encoding;
  auto features = static_cast<std::size_t>(encoding.features);
  file.size(features);
  if constexpr (!std::is_const_v<Model>) encoding.features = features == 0 ? FeatureSet::plain : FeatureSet::layers;
  for (auto* scaler : {&encoding.job, &encoding.block}) {
    file.list(scaler->mean);
    file.list(scaler->scale);
  }
  file.size(encoding.piecewise.bins);
  file.list(encoding.piecewise.edges);
  for (auto& weight : model.base.weights) file.number(weight);
  file.number(model.offset);
  auto& shape = model.shape;
  for (auto* size : {&shape.job_features, &shape.token_features, &shape.token_maps, &shape.most_tokens, &shape.width,
                     &shape.gru_units, &shape.layers, &shape.heads, &shape.feed_forward, &shape.hidden}) {
    file.size(*size);
  }
}

std::string body_of(const MemoryModel& model) {
  Writer writer;
  visit(writer, model);
  writer.size(model.members.size());
  for (const auto& weights : model.members) writer.list(weights);
  return writer.take();
}

std::optional<MemoryModel> parse_body(std::string_view body) {
  Reader reader(body);
  MemoryModel model;
  visit(reader, model);
  std::size_t members = 0;
  reader.size(members);
  for (std::size_t i = 0; i < members && !reader.failed(); ++i) reader.list(model.members.emplace_back());
  if (reader.failed() || !reader.at_end()) return {};
  return model;
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

Error damaged(const std::string& name) {
  return {name + ": the model file is damaged", "copy it again from where it came from, or train it again"};
}

}  // namespace

std::string to_bytes(const MemoryModel& model) {
  const auto body = body_of(model);
  Writer header;
  header.number(kModelFileVersion);
  header.number(std::uint32_t{0});
  header.number(static_cast<std::uint64_t>(body.size()));
  std::string bytes = std::string(kMagic) + header.take() + body;
  Writer trailer;
  trailer.number(crc64(bytes));
  return bytes + trailer.take();
}

Result<MemoryModel> parse_model(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) return Error{name + ": this is no model file of Dryfit", ""};
  if (bytes.size() < kHeader + kTrailer) return damaged(name);
  const auto version = number_at<std::uint32_t>(bytes, 8);
  if (version > kModelFileVersion) {
    return Error{name + ": the model file is of version " + std::to_string(version) + "; this Dryfit reads up to " +
                     std::to_string(kModelFileVersion),
                 "update Dryfit, or take an older model"};
  }
  const auto size = number_at<std::uint64_t>(bytes, 16);
  const auto checked = bytes.substr(0, bytes.size() - kTrailer);
  if (version == 0 || size != bytes.size() - kHeader - kTrailer) return damaged(name);
  if (crc64(checked) != number_at<std::uint64_t>(bytes, checked.size())) return damaged(name);
  auto model = parse_body(checked.substr(kHeader));
  if (!model) return damaged(name);
  return std::move(*model);
}

Result<MemoryModel> read_model(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be opened", "give the path of a model file"};
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return parse_model(bytes, file.string());
}

Status write_model(const MemoryModel& model, const std::filesystem::path& file) {
  const auto bytes = to_bytes(model);
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
  return Error{file.string() + ": cannot be written", "is there such a folder, and room in it?"};
}

}  // namespace dryfit::predictor
