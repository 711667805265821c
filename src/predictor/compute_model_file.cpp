// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_model_file.h"

#include "predictor/model_body.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitc\n", kComputeModelFileVersion, "a model of step times"};

/// Note [Model body]
template <class File, class Variant>
bool visit_variant(File& file, Variant& variant) {
  if (!visit_choice(file, variant.knowledge, ComputeKnowledge::layers)) return false;
  for (auto& weight : variant.base.weights) file.number(weight);
  for (auto* number : {&variant.min_correction, &variant.max_correction}) file.number(*number);
  if (!visit_trees(file, variant.trees)) return false;
  for (auto* calibration : {&variant.above, &variant.below}) {
    if (!visit_lists(file, calibration->folds)) return false;
  }
  for (auto* bounds : {&variant.reach.low, &variant.reach.high}) {
    for (auto& bound : *bounds) file.number(bound);
  }
  return true;
}

constexpr auto kVisit = [](auto& file, auto& model) {
  visit_card(file, model.card);
  if (!visit_all(file, model.settings, [&](auto& setting) { return file.text(setting), true; })) return false;
  file.number(model.gpu_shift);
  return visit_all(file, model.variants, [&](auto& variant) { return visit_variant(file, variant); });
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
