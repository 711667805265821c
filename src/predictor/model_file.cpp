// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_file.h"

#include <optional>
#include <type_traits>

#include "predictor/model_frame.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitm\n", kModelFileVersion, "a model of measured memory"};

/// Goes over all of a model but its networks in the order of the file: with a BodyWriter out, with a BodyReader in.
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
  BodyWriter writer;
  visit(writer, model);
  writer.size(model.members.size());
  for (const auto& weights : model.members) writer.list(weights);
  return writer.take();
}

std::optional<MemoryModel> parse_body(std::string_view body) {
  BodyReader reader(body);
  MemoryModel model;
  visit(reader, model);
  std::size_t members = 0;
  reader.size(members);
  for (std::size_t i = 0; i < members && !reader.failed(); ++i) reader.list(model.members.emplace_back());
  if (reader.failed() || !reader.at_end()) return {};
  return model;
}

}  // namespace

std::string to_bytes(const MemoryModel& model) { return framed(kKind, body_of(model)); }

Result<MemoryModel> parse_model(std::string_view bytes, const std::string& name) {
  const auto body = body_in(kKind, bytes, name);
  if (!body) return body.error();
  auto model = parse_body(*body);
  if (!model) return damaged_model(name);
  return std::move(*model);
}

Result<MemoryModel> read_model(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) return bytes.error();
  return parse_model(*bytes, file.string());
}

Status write_model(const MemoryModel& model, const std::filesystem::path& file) {
  return write_bytes(to_bytes(model), file);
}

}  // namespace dryfit::predictor
