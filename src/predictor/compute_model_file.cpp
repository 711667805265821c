// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_model_file.h"

#include "predictor/model_body.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitc\n", kComputeModelFileVersion, "a model of step times"};

/// Note [Model body]
template <class File, class Way>
bool visit_way(File& file, Way& way) {
  if (!visit_choice(file, way.knowledge, ComputeKnowledge::layers)) return false;
  for (auto& weight : way.base.weights) file.number(weight);
  for (auto* number : {&way.least_answer, &way.most_answer}) file.number(*number);
  if (!visit_trees(file, way.trees)) return false;
  for (auto* calibration : {&way.above, &way.below}) {
    if (!visit_lists(file, calibration->folds)) return false;
  }
  for (auto* bounds : {&way.reach.low, &way.reach.high}) {
    for (auto& bound : *bounds) file.number(bound);
  }
  return true;
}

constexpr auto kVisit = [](auto& file, auto& model) {
  visit_card(file, model.card);
  if (!visit_all(file, model.settings, [&](auto& setting) { return file.text(setting), true; })) return false;
  file.number(model.gpu_shift);
  return visit_all(file, model.ways, [&](auto& way) { return visit_way(file, way); });
};

}  // namespace

std::string to_bytes(const ComputeModel& model) { return model_bytes(kKind, model, kVisit); }

Result<ComputeModel> parse_compute_model(std::string_view bytes, const std::string& name) {
  return model_in<ComputeModel>(kKind, bytes, name, kVisit);
}

Result<ComputeModel> read_compute_model(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) return bytes.error();
  return parse_compute_model(*bytes, file.string());
}

Status write_compute_model(const ComputeModel& model, const std::filesystem::path& file) {
  return write_bytes(to_bytes(model), file);
}

}  // namespace dryfit::predictor
