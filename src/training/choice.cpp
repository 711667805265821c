// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/choice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "training/published_fitting.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::FeatureSet;

struct Named {
  std::string_view name;
  Core core;
  bool reads_blocks;
};

constexpr std::array<Named, 4> kOurs{{{"sequence", Core::bigru_transformer, true},
                                      {"flat", Core::bigru_transformer, false},
                                      {"bigru", Core::bigru, true},
                                      {"transformer", Core::transformer, true}}};

Error unknown(const std::string& what, const std::string& given, const std::string& known) {
  return {"there is no " + what + " '" + given + "'", "name one of " + known};
}

Result<FeatureSet> features_of(const Choice& choice) {
  if (choice.features == "plain") return FeatureSet::plain;
  if (choice.features == "layers") return FeatureSet::layers;
  return unknown("set of features", choice.features, "plain, layers");
}

bool is_published(const Choice& choice) { return choice.network == "paper1" || choice.network == "paper2"; }

Result<PublishedPlan> published_plan(const Choice& choice) {
  const auto features = features_of(choice);
  if (!features) return features.error();
  if (choice.reading != "channels" && choice.reading != "tokens") {
    return unknown("reading of paper 2", choice.reading, "channels, tokens");
  }
  if (choice.patience) return Error{"the papers' networks are not stopped early", "leave the patience out"};
  const auto paper = choice.network == "paper1" ? Paper::one : Paper::two;
  auto recipe = published_recipe(paper);
  recipe.epochs = choice.epochs.value_or(recipe.epochs);
  recipe.batch = choice.batch.value_or(recipe.batch);
  recipe.learning_rate = choice.learning_rate.value_or(recipe.learning_rate);
  const Recipe numbers{.epochs = recipe.epochs, .batch = recipe.batch, .learning_rate = recipe.learning_rate};
  if (auto status = check(numbers); !status) return status.error();
  const auto reading = choice.reading == "channels" ? Reading::channels : Reading::tokens;
  return PublishedPlan{.paper = paper, .reading = reading, .features = *features, .recipe = recipe};
}

}  // namespace

std::string Choice::name() const {
  const bool has_readings = network == "paper2";
  return network + " " + features + (has_readings ? " " + reading : "");
}

Result<ModelPlan> plan_of(const Choice& choice) {
  if (is_published(choice)) {
    return Error{"the network '" + choice.network + "' is there to be compared with, not to be kept",
                 "take one of sequence, flat, bigru, transformer"};
  }
  const auto found = std::ranges::find(kOurs, choice.network, &Named::name);
  if (found == kOurs.end()) {
    return unknown("network", choice.network, "sequence, flat, bigru, transformer, paper1, paper2");
  }
  const auto features = features_of(choice);
  if (!features) return features.error();
  auto recipe = found->reads_blocks ? sequence_recipe() : flat_recipe();
  recipe.epochs = choice.epochs.value_or(recipe.epochs);
  recipe.batch = choice.batch.value_or(recipe.batch);
  recipe.learning_rate = choice.learning_rate.value_or(recipe.learning_rate);
  recipe.patience = choice.patience.value_or(recipe.patience);
  if (auto status = check(recipe); !status) return status.error();
  return ModelPlan{.core = found->core, .reads_blocks = found->reads_blocks, .features = *features, .recipe = recipe};
}

Result<Learner> learner_of(const Choice& choice, const Report& report) {
  if (is_published(choice)) {
    const auto plan = published_plan(choice);
    if (!plan) return plan.error();
    return learner_of(*plan, report);
  }
  const auto plan = plan_of(choice);
  if (!plan) return plan.error();
  return learner_of(*plan, report);
}

}  // namespace dryfit::training
