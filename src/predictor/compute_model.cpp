// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "predictor/compute_features.h"

namespace dryfit::predictor {
namespace {

bool is_sound(const StepPhysics& base) {
  return all_finite(base.weights) && std::ranges::all_of(base.weights, [](double weight) { return weight >= 0; }) &&
         std::ranges::any_of(base.weights, [](double weight) { return weight > 0; });
}

bool is_sound(const Calibration& calibration) {
  return std::ranges::all_of(calibration.folds,
                             [](const auto& fold) { return all_finite(fold) && std::ranges::is_sorted(fold); });
}

bool is_sound(const StepReach& reach) {
  return all_finite(reach.low) && all_finite(reach.high) &&
         std::ranges::equal(reach.low, reach.high, std::less_equal<>());
}

bool has_sound_trees(const ComputeVariant& variant) {
  return !variant.trees.empty() && std::ranges::all_of(variant.trees, [&](const BoostedTrees& trees) {
    return trees.features == step_feature_count(variant.knowledge) && predictor::check(trees);
  });
}

Status check_card(const ModelCard& card) {
  for (const auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) {
    if (text->empty()) return Error{"the model's description is incomplete", "Fill in every field of ModelCard."};
  }
  return {};
}

}  // namespace

std::string setting_of(const std::string& gpu, const JobDescription& job) {
  double linear = 0, convolutions = 0;
  for (const auto& block : job.model.blocks) {
    linear += block[BlockField::n_linear];
    convolutions += block[BlockField::n_conv] + block[BlockField::n_pointwise] + block[BlockField::n_groupconv] +
                    block[BlockField::n_depthwise];
  }
  const char* kind = job.model.blocks.empty() ? "" : convolutions > linear ? "convolutions" : "linear layers";
  return gpu + ", " + std::string(to_text(job.precision)) + ", " + kind;
}

bool was_measured(const ComputeModel& model, const std::string& setting) {
  return std::ranges::any_of(model.settings, [&](const std::string& each) { return each.starts_with(setting); });
}

StepEstimate estimate_step(const ComputeVariant& variant, const Step& step) {
  const auto terms = step_terms(step, variant.knowledge);
  const auto features = step_features(step, variant.knowledge, terms);
  double answer = 0;
  for (const auto& trees : variant.trees) answer += trees.answer(features) / static_cast<double>(variant.trees.size());
  const double base = variant.base.seconds(terms);
  return {.base_seconds = base,
          .seconds = base * std::exp(std::clamp(answer, variant.min_correction, variant.max_correction)),
          .distance = variant.reach.distance(step_measures(step, terms))};
}

Status check(const ComputeVariant& variant) {
  const auto bad = [&](const char* what) {
    return Error{"the model's variant '" + std::string(to_text(variant.knowledge)) + "': " + what, "Train it again."};
  };
  if (!is_sound(variant.base)) return bad("its roofline is invalid");
  if (!all_finite(std::array{variant.min_correction, variant.max_correction}) ||
      variant.min_correction > variant.max_correction) {
    return bad("the range of its corrections is invalid");
  }
  if (!has_sound_trees(variant)) return bad("its trees are invalid");
  if (!is_sound(variant.above) || !is_sound(variant.below)) return bad("its calibration is invalid");
  if (!is_sound(variant.reach)) return bad("the range of its training data is invalid");
  return {};
}

Status check(const ComputeModel& model) {
  if (auto status = check_card(model.card); !status) return status;
  const auto& name = model.card.name;
  if (model.variants.empty()) return Error{"the model '" + name + "' has no trained variants", "Train it again."};
  if (!std::isfinite(model.gpu_shift) || model.gpu_shift < 0) {
    return Error{"the model '" + name + "': its shift for unseen GPUs is invalid", "Train it again."};
  }
  std::set<ComputeKnowledge> seen;
  for (const auto& variant : model.variants) {
    if (!seen.insert(variant.knowledge).second) {
      return Error{"the model '" + name + "' has two variants '" + std::string(to_text(variant.knowledge)) + "'",
                   "Train it again."};
    }
    if (auto status = check(variant); !status) return status;
  }
  return {};
}

}  // namespace dryfit::predictor
