// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_model_file.h"

#include <optional>
#include <type_traits>

#include "predictor/model_frame.h"

namespace dryfit::predictor {
namespace {

constexpr ModelKind kKind{"dryfitc\n", kComputeModelFileVersion, "a model of step times"};

/// Every element of a list goes through `each`; with a BodyReader the list is made as long as the file says, or up to
/// the first element that is not sound.
template <class File, class List, class Each>
bool visit_all(File& file, List& list, Each each) {
  auto count = list.size();
  file.size(count);
  if constexpr (std::is_const_v<List>) {
    for (auto& element : list) {
      if (!each(element)) return false;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      if (file.failed() || !each(list.emplace_back())) return false;
    }
  }
  return true;
}

/// False when there is no such knowledge.
template <class File, class Way>
bool visit_knowledge(File& file, Way& way) {
  auto knowledge = static_cast<std::size_t>(way.knowledge);
  file.size(knowledge);
  if (knowledge > static_cast<std::size_t>(ComputeKnowledge::layers)) return false;
  if constexpr (!std::is_const_v<Way>) way.knowledge = static_cast<ComputeKnowledge>(knowledge);
  return true;
}

/// Goes over a way in the order of the file: with a BodyWriter out, with a BodyReader in.
template <class File, class Way>
bool visit_way(File& file, Way& way) {
  if (!visit_knowledge(file, way)) return false;
  for (auto& weight : way.base.weights) file.number(weight);
  for (auto* number : {&way.least_answer, &way.most_answer}) file.number(*number);
  const bool sound = visit_all(file, way.trees, [&](auto& trees) {
    file.size(trees.features);
    file.number(trees.start);
    file.list(trees.roots);
    file.list(trees.nodes);
    return true;
  });
  if (!sound) return false;
  for (auto* calibration : {&way.above, &way.below}) {
    if (!visit_all(file, calibration->folds, [&](auto& fold) { return file.list(fold), true; })) return false;
  }
  for (auto* bounds : {&way.reach.low, &way.reach.high}) {
    for (auto& bound : *bounds) file.number(bound);
  }
  return true;
}

template <class File, class Model>
bool visit(File& file, Model& model) {
  auto& card = model.card;
  for (auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) file.text(*text);
  if (!visit_all(file, model.settings, [&](auto& setting) { return file.text(setting), true; })) return false;
  file.number(model.gpu_shift);
  return visit_all(file, model.ways, [&](auto& way) { return visit_way(file, way); });
}

std::optional<ComputeModel> parse_body(std::string_view body) {
  BodyReader reader(body);
  ComputeModel model;
  if (!visit(reader, model) || reader.failed() || !reader.at_end()) return {};
  return model;
}

}  // namespace

std::string to_bytes(const ComputeModel& model) {
  BodyWriter writer;
  visit(writer, model);
  return framed(kKind, writer.take());
}

Result<ComputeModel> parse_compute_model(std::string_view bytes, const std::string& name) {
  const auto body = body_in(kKind, bytes, name);
  if (!body) return body.error();
  auto model = parse_body(*body);
  if (!model) return damaged_model(name);
  return std::move(*model);
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
