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

bool has_fitting_network(const JobWay& way) {
  const auto& shape = way.shape;
  return shape.job_features == job_feature_count(way.knowledge) && shape.token_maps == 1 &&
         shape.token_features == kBlockFields && shape.most_tokens >= (reads_blocks(way.knowledge) ? kMostBlocks : 0);
}

bool has_fitting_trees(const JobWay& way) {
  return std::ranges::all_of(way.trees, [&](const BoostedTrees& trees) {
    return trees.features == job_feature_count(way.knowledge) && predictor::check(trees);
  });
}

}  // namespace

JobInput encode(const JobWay& way, const JobDescription& job) {
  const auto terms = job_terms(job, way.knowledge);
  const double base = way.base.estimate_mib(terms);
  JobInput input{base, job_features_of(job, way.knowledge, terms, base), {}};
  input.scaled.job = way.features.apply(input.features);
  if (reads_blocks(way.knowledge))
    input.scaled.tokens = way.blocks.apply(block_tokens_of({job.model.blocks, job.batch}));
  return input;
}

Status check(const JobWay& way) {
  const auto bad = [&](const char* what) {
    return Error{"the model's variant '" + std::string(to_text(way.knowledge)) + "': " + what, "Train it again."};
  };
  if (!is_sound(way.base) || !std::isfinite(way.offset)) return bad("its physics base is invalid");
  if (!all_finite(std::array{way.least_answer, way.most_answer}) || way.least_answer > way.most_answer) {
    return bad("the range of its corrections is invalid");
  }
  if (!is_sound(way.features, job_feature_count(way.knowledge)) ||
      !is_sound(way.blocks, reads_blocks(way.knowledge) ? kBlockFields : 0)) {
    return bad("its scales do not match its features");
  }
  if (way.members.empty() && way.trees.empty()) return bad("it has neither networks nor trees");
  if (!way.members.empty() && !has_fitting_network(way)) return bad("its features do not match its network");
  if (!has_fitting_trees(way)) return bad("its trees are invalid");
  if (!is_sound(way.calibration)) return bad("its calibration is invalid");
  if (!is_sound(way.reach)) return bad("the range of its training data is invalid");
  return {};
}

Status check(const JobModel& model) {
  const auto& card = model.card;
  for (const auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) {
    if (text->empty()) return Error{"the model's description is incomplete", "Fill in every field of ModelCard."};
  }
  if (model.ways.empty()) return Error{"the model '" + card.name + "' has learned nothing", "Train it again."};
  std::set<Knowledge> seen;
  for (const auto& way : model.ways) {
    if (!seen.insert(way.knowledge).second) {
      return Error{"the model '" + card.name + "' has two variants '" + std::string(to_text(way.knowledge)) + "'",
                   "Train it again."};
    }
    if (auto status = check(way); !status) return status;
  }
  return {};
}

}  // namespace dryfit::predictor
