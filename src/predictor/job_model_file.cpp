// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_model_file.h"

#include "predictor/model_body.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitj\n", kJobModelFileVersion, "a model of job descriptions"};

/// Note [Model body]
template <class File, class Way>
bool visit_way(File& file, Way& way) {
  if (!visit_choice(file, way.knowledge, Knowledge::probes)) return false;
  for (auto& weight : way.base.weights) file.number(weight);
  for (auto* number : {&way.offset, &way.least_answer, &way.most_answer}) file.number(*number);
  visit_scaler(file, way.features);
  visit_scaler(file, way.blocks);
  visit_shape(file, way.shape);
  if (!visit_lists(file, way.members) || !visit_trees(file, way.trees)) return false;
  if (!visit_lists(file, way.calibration.folds)) return false;
  file.list(way.reach.low);
  file.list(way.reach.high);
  return true;
}

constexpr auto kVisit = [](auto& file, auto& model) {
  visit_card(file, model.card);
  return visit_all(file, model.ways, [&](auto& way) { return visit_way(file, way); });
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
