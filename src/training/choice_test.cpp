// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/choice.h"

#include <gtest/gtest.h>

#include "predictor/data_set_testing.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::FeatureSet;

std::string problem_of(const Choice& choice) {
  const auto chosen = choose(choice, predictor::testing::ignore);
  return chosen ? "" : chosen.error().what;
}

std::string recipe_of(const Choice& choice) {
  const auto chosen = choose(choice, predictor::testing::ignore);
  return chosen ? chosen->recipe : chosen.error().what;
}

TEST(Choice, Networks_are_known_by_name) {
  for (const auto* network :
       {"sequence", "bigru", "transformer", "flat", "flat-bigru", "flat-transformer", "trees", "paper1", "paper2"}) {
    EXPECT_EQ(problem_of({.network = network}), "");
    EXPECT_NE(std::string(kNetworks).find(network), std::string::npos);
  }
  EXPECT_EQ(plan_of({.network = "bigru"})->core, Core::bigru);
  EXPECT_FALSE(plan_of({.features = "plain", .network = "flat-bigru"})->reads_blocks);
  EXPECT_EQ(plan_of({.features = "plain", .network = "flat"})->features, FeatureSet::plain);
}

TEST(Choice, Missing_numbers_come_from_the_recipe_of_the_network_and_the_data_set) {
  const auto plan = plan_of({.network = "flat", .epochs = 3});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->recipe.epochs, 3u);
  EXPECT_EQ(plan->recipe.weight_decay, 0.03);
  EXPECT_TRUE(recipe_of({.set = "schedtune", .network = "flat"})
                  .starts_with("bigru-transformer over features, bins 0; epochs 150, batch 64, learning rate 0.003"));
  EXPECT_TRUE(recipe_of({.set = "llm-foundry", .network = "flat-bigru", .batch = 7})
                  .starts_with("bigru over features, bins 12; epochs 120, batch 7"));
  EXPECT_TRUE(recipe_of({.set = "timm-throughput", .network = "transformer"})
                  .starts_with("transformer over blocks, bins 0; epochs 80, batch 128"));
}

TEST(Choice, Unknown_words_and_senseless_numbers_are_refused) {
  EXPECT_EQ(problem_of({.network = "lstm"}), "unknown network 'lstm'");
  EXPECT_EQ(problem_of({.set = "imagenet"}), "no recipe is known for the data set 'imagenet'");
  EXPECT_EQ(problem_of({.network = "paper2", .reading = "rows"}), "unknown reading of the papers 'rows'");
  EXPECT_EQ(problem_of({.network = "paper1", .epochs = 0}), "the recipe's epochs is 0.000000");
  EXPECT_EQ(problem_of({.network = "paper1", .patience = 3}), "the papers' networks are not stopped early");
  EXPECT_EQ(problem_of({.network = "trees", .epochs = 3}), "trees have no epochs, batch, learning rate or patience");
}

TEST(Choice, The_papers_networks_and_other_data_sets_are_not_kept) {
  EXPECT_EQ(plan_of({.network = "paper2"}).error().what, "the network 'paper2' cannot be kept as a model");
  EXPECT_EQ(plan_of({.set = "schedtune"}).error().what, "cannot keep a model of the data set 'schedtune'");
}

TEST(Choice, Its_name_and_file_name_describe_it) {
  EXPECT_EQ((Choice{}.name()), "sequence layers");
  const Choice paper2{.features = "plain", .network = "paper2", .reading = "tokens"};
  EXPECT_EQ(paper2.name(), "paper2 plain tokens");
  EXPECT_EQ((Choice{.features = "plain", .network = "paper1"}.name()), "paper1 plain channels");
  EXPECT_EQ(paper2.file_name("model5_s0"), "timm-memory-model5_s0-plain-paper2-tokens.csv");
  EXPECT_EQ(Choice{}.file_name("module5_s0"), "timm-memory-module5_s0-layers-sequence.csv");
}

}  // namespace
}  // namespace dryfit::training
