// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_file.h"

#include "predictor/model_body.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitm\n", kModelFileVersion, "a model of measured memory"};

/// Note [Model body]
constexpr auto kVisit = [](auto& file, auto& model) {
  visit_card(file, model.card);
  auto& encoding = model.encoding;
  if (!visit_choice(file, encoding.features, FeatureSet::layers)) return false;
  visit_scaler(file, encoding.job);
  visit_scaler(file, encoding.block);
  file.size(encoding.piecewise.bins);
  file.list(encoding.piecewise.edges);
  for (auto& weight : model.base.weights) file.number(weight);
  file.number(model.offset);
  visit_shape(file, model.shape);
  return visit_lists(file, model.members);
};

}  // namespace

std::string to_bytes(const MemoryModel& model) { return model_bytes(kKind, model, kVisit); }

Result<MemoryModel> parse_memory_model(std::string_view bytes, const std::string& name) {
  return model_in<MemoryModel>(kKind, bytes, name, kVisit);
}

Result<MemoryModel> read_model(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) return bytes.error();
  return parse_memory_model(*bytes, file.string());
}

Status write_model(const MemoryModel& model, const std::filesystem::path& file) {
  return write_bytes(to_bytes(model), file);
}

}  // namespace dryfit::predictor
