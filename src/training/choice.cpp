// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/choice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "predictor/tree_learner.h"
#include "training/network_learner.h"
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

constexpr std::array<Named, 6> kOurs{{{"sequence", Core::bigru_transformer, true},
                                      {"bigru", Core::bigru, true},
                                      {"transformer", Core::transformer, true},
                                      {"flat", Core::bigru_transformer, false},
                                      {"flat-bigru", Core::bigru, false},
                                      {"flat-transformer", Core::transformer, false}}};

/// By data set: the bins of features and the length of training. Everything else is as in the recipes.
struct SetRecipe {
  std::string_view set;
  std::size_t bins;
  std::size_t epochs;
  std::size_t batch;
};

constexpr std::array<SetRecipe, 4> kSets{{{"timm-memory", kBins, 30, 384},
                                          {"schedtune", 0, 150, 64},
                                          {"llm-foundry", 12, 120, 64},
                                          {"timm-throughput", 12, 80, 128}}};

Error unknown(const std::string& what, const std::string& given, const std::string& known) {
  return {"unknown " + what + " '" + given + "'", "Use one of: " + known + "."};
}

Result<Named> our_network(const Choice& choice) {
  const auto found = std::ranges::find(kOurs, choice.network, &Named::name);
  if (found == kOurs.end()) return unknown("network", choice.network, kNetworks);
  return *found;
}

Result<SetRecipe> set_recipe(const Choice& choice) {
  const auto found = std::ranges::find(kSets, choice.set, &SetRecipe::set);
  if (found != kSets.end()) return *found;
  return Error{"no recipe is known for the data set '" + choice.set + "'", "Add one to kSets in choice.cpp."};
}

bool is_paper(std::string_view network) { return network == "paper1" || network == "paper2"; }

/// Overrides the numbers that every recipe has, if the choice gives them.
template <class Any>
void change(Any& recipe, const Choice& choice) {
  recipe.epochs = choice.epochs.value_or(recipe.epochs);
  recipe.batch = choice.batch.value_or(recipe.batch);
  recipe.learning_rate = choice.learning_rate.value_or(recipe.learning_rate);
}

Result<NetworkPlan> network_plan(const Choice& choice) {
  const auto named = our_network(choice);
  if (!named) return named.error();
  const auto set = set_recipe(choice);
  if (!set) return set.error();
  NetworkPlan plan{.core = named->core,
                   .reads_blocks = named->reads_blocks,
                   .bins = named->reads_blocks ? 0 : set->bins,
                   .recipe = named->reads_blocks ? sequence_recipe() : flat_recipe()};
  plan.recipe.epochs = set->epochs;
  plan.recipe.batch = set->batch;
  change(plan.recipe, choice);
  plan.recipe.patience = choice.patience.value_or(plan.recipe.patience);
  if (auto status = check(plan.recipe); !status) return status.error();
  return plan;
}

Result<PublishedPlan> published_plan(const Choice& choice) {
  if (choice.reading != "channels" && choice.reading != "tokens") {
    return unknown("reading of the papers", choice.reading, "channels, tokens");
  }
  if (choice.patience) return Error{"the papers' networks are not stopped early", "Leave out --patience."};
  const auto paper = choice.network == "paper1" ? Paper::one : Paper::two;
  auto recipe = published_recipe(paper);
  change(recipe, choice);
  const Recipe numbers{.epochs = recipe.epochs, .batch = recipe.batch, .learning_rate = recipe.learning_rate};
  if (auto status = check(numbers); !status) return status.error();
  return PublishedPlan{
      .paper = paper, .reading = choice.reading == "channels" ? Reading::channels : Reading::tokens, .recipe = recipe};
}

Result<Chosen> choose_trees(const Choice& choice) {
  if (choice.epochs || choice.batch || choice.learning_rate || choice.patience) {
    return Error{"trees have no epochs, batch, learning rate or patience",
                 "Leave out --epochs, --batch, --learning-rate and --patience."};
  }
  const predictor::BoostingRecipe recipe;
  return Chosen{predictor::tree_learner(recipe), "trees; " + to_text(recipe)};
}

Result<Chosen> choose_published(const Choice& choice, const Report& report) {
  const auto plan = published_plan(choice);
  if (!plan) return plan.error();
  return Chosen{learner_of(*plan, report), choice.network + " " + choice.reading + "; " + to_text(plan->recipe)};
}

Result<Chosen> choose_network(const Choice& choice, const Report& report) {
  const auto plan = network_plan(choice);
  if (!plan) return plan.error();
  return Chosen{learner_of(*plan, report), std::string(predictor::to_text(plan->core)) + " over " +
                                               (plan->reads_blocks ? "blocks" : "features") + ", bins " +
                                               std::to_string(plan->bins) + "; " + to_text(plan->recipe)};
}

}  // namespace

std::string Choice::name() const { return network + " " + features + (is_paper(network) ? " " + reading : ""); }

std::string Choice::file_name(const std::string& folds) const {
  const bool is_second_reading = is_paper(network) && reading != "channels";
  return set + "-" + folds + "-" + features + "-" + network + (is_second_reading ? "-" + reading : "") + ".csv";
}

Result<Chosen> choose(const Choice& choice, const Report& report) {
  if (choice.network == "trees") return choose_trees(choice);
  if (is_paper(choice.network)) return choose_published(choice, report);
  return choose_network(choice, report);
}

Result<ModelPlan> plan_of(const Choice& choice) {
  if (choice.set != "timm-memory") {
    return Error{"cannot keep a model of the data set '" + choice.set + "'", "Use timm-memory."};
  }
  const auto named = our_network(choice);
  if (!named) {
    return Error{"the network '" + choice.network + "' cannot be kept as a model",
                 "Use one of sequence, bigru, transformer, flat, flat-bigru, flat-transformer."};
  }
  const auto plan = network_plan(choice);
  if (!plan) return plan.error();
  const auto features = choice.features == "plain" ? FeatureSet::plain : FeatureSet::layers;
  return ModelPlan{
      .core = plan->core, .reads_blocks = plan->reads_blocks, .features = features, .recipe = plan->recipe};
}

}  // namespace dryfit::training
