// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_model_file.h"

#include "predictor/model_body.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitj\n", kJobModelFileVersion, "a model of job descriptions"};

/// Note [Model body]
template <class File, class Variant>
bool visit_variant(File& file, Variant& variant) {
  if (!visit_choice(file, variant.knowledge, Knowledge::probes)) return false;
  for (auto& weight : variant.base.weights) file.number(weight);
  for (auto* number : {&variant.offset, &variant.min_correction, &variant.max_correction}) file.number(*number);
  visit_scaler(file, variant.features);
  visit_scaler(file, variant.blocks);
  visit_shape(file, variant.shape);
  if (!visit_lists(file, variant.members) || !visit_trees(file, variant.trees)) return false;
  if (!visit_lists(file, variant.calibration.folds)) return false;
  file.list(variant.reach.low);
  file.list(variant.reach.high);
  return true;
}

constexpr auto kVisit = [](auto& file, auto& model) {
  visit_card(file, model.card);
  return visit_all(file, model.variants, [&](auto& variant) { return visit_variant(file, variant); });
};

}  // namespace

std::string to_bytes(const JobModel& model) { return model_bytes(kKind, model, kVisit); }

Result<JobModel> parse_job_model(std::string_view bytes, const std::string& name) {
  return model_in<JobModel>(kKind, bytes, name, kVisit);
}

Result<JobModel> read_job_model(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  if (!bytes) return bytes.error();
  return parse_job_model(*bytes, file.string());
}

Status write_job_model(const JobModel& model, const std::filesystem::path& file) {
  return write_bytes(to_bytes(model), file);
}

}  // namespace dryfit::predictor
