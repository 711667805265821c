// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

namespace dryfit::predictor {
namespace {

bool is_sound(const JobPhysics& base) {
  return all_finite(base.weights) && std::ranges::all_of(base.weights, [](double weight) { return weight >= 0; }) &&
         std::ranges::any_of(base.weights, [](double weight) { return weight > 0; });
}

bool is_sound(const Calibration& calibration) {
  return std::ranges::all_of(calibration.folds,
                             [](const auto& fold) { return all_finite(fold) && std::ranges::is_sorted(fold); });
}

bool is_sound(const Reach& reach) {
  constexpr auto kColumns = kJobMeasures + kJobFlags;
  return reach.low.size() == kColumns && reach.high.size() == kColumns && all_finite(reach.low) &&
         all_finite(reach.high) && std::ranges::equal(reach.low, reach.high, std::less_equal<>());
}

bool has_fitting_network(const JobVariant& variant) {
  const auto& shape = variant.shape;
  return shape.job_features == job_feature_count(variant.knowledge) && shape.token_maps == 1 &&
         shape.token_features == kBlockFields &&
         shape.most_tokens >= (reads_blocks(variant.knowledge) ? kMostBlocks : 0);
}

bool has_fitting_trees(const JobVariant& variant) {
  return std::ranges::all_of(variant.trees, [&](const BoostedTrees& trees) {
    return trees.features == job_feature_count(variant.knowledge) && predictor::check(trees);
  });
}

}  // namespace

JobInput encode(const JobVariant& variant, const JobDescription& job) {
  const auto terms = job_terms(job, variant.knowledge);
  const double base = variant.base.estimate_mib(terms);
  JobInput input{base, job_features_of(job, variant.knowledge, terms, base), {}};
  input.scaled.job = variant.features.apply(input.features);
  if (reads_blocks(variant.knowledge))
    input.scaled.tokens = variant.blocks.apply(block_tokens_of({job.model.blocks, job.batch}));
  return input;
}

Status check(const JobVariant& variant) {
  const auto bad = [&](const char* what) {
    return Error{"the model's variant '" + std::string(to_text(variant.knowledge)) + "': " + what, "Train it again."};
  };
  if (!is_sound(variant.base) || !std::isfinite(variant.offset)) return bad("its physics base is invalid");
  if (!all_finite(std::array{variant.min_correction, variant.max_correction}) ||
      variant.min_correction > variant.max_correction) {
    return bad("the range of its corrections is invalid");
  }
  if (!is_sound(variant.features, job_feature_count(variant.knowledge)) ||
      !is_sound(variant.blocks, reads_blocks(variant.knowledge) ? kBlockFields : 0)) {
    return bad("its scales do not match its features");
  }
  if (variant.members.empty() && variant.trees.empty()) return bad("it has neither networks nor trees");
  if (!variant.members.empty() && !has_fitting_network(variant)) return bad("its features do not match its network");
  if (!has_fitting_trees(variant)) return bad("its trees are invalid");
  if (!is_sound(variant.calibration)) return bad("its calibration is invalid");
  if (!is_sound(variant.reach)) return bad("the range of its training data is invalid");
  return {};
}

Status check(const JobModel& model) {
  const auto& card = model.card;
  for (const auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) {
    if (text->empty()) return Error{"the model's description is incomplete", "Fill in every field of ModelCard."};
  }
  if (model.variants.empty()) return Error{"the model '" + card.name + "' has no trained variants", "Train it again."};
  std::set<Knowledge> seen;
  for (const auto& variant : model.variants) {
    if (!seen.insert(variant.knowledge).second) {
      return Error{"the model '" + card.name + "' has two variants '" + std::string(to_text(variant.knowledge)) + "'",
                   "Train it again."};
    }
    if (auto status = check(variant); !status) return status;
  }
  return {};
}

}  // namespace dryfit::predictor
