// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/choice.h"

#include <gtest/gtest.h>

#include "training/job_testing.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::FeatureSet;

std::string problem_of(const Choice& choice) {
  const auto learner = learner_of(choice, testing::ignore);
  return learner ? "" : learner.error().what;
}

TEST(Choice, Networks_are_known_by_name) {
  for (const auto* network : {"sequence", "flat", "bigru", "transformer", "paper1", "paper2"}) {
    EXPECT_EQ(problem_of({.network = network}), "");
  }
  EXPECT_EQ(plan_of({.network = "bigru"})->core, Core::bigru);
  EXPECT_FALSE(plan_of({.network = "flat", .features = "plain"})->reads_blocks);
  EXPECT_EQ(plan_of({.network = "flat", .features = "plain"})->features, FeatureSet::plain);
}

TEST(Choice, What_is_not_given_is_as_in_the_networks_recipe) {
  const auto plan = plan_of({.network = "flat", .epochs = 3});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->recipe.epochs, 3u);
  EXPECT_EQ(plan->recipe.weight_decay, 0.03);
}

TEST(Choice, Unknown_words_and_senseless_numbers_are_refused) {
  EXPECT_EQ(problem_of({.network = "lstm"}), "there is no network 'lstm'");
  EXPECT_EQ(problem_of({.features = "all"}), "there is no set of features 'all'");
  EXPECT_EQ(problem_of({.network = "paper2", .reading = "rows"}), "there is no reading of paper 2 'rows'");
  EXPECT_EQ(problem_of({.network = "paper1", .epochs = 0}), "the recipe's epochs is 0.000000");
  EXPECT_EQ(problem_of({.network = "paper1", .patience = 3}), "the papers' networks are not stopped early");
}

TEST(Choice, The_papers_networks_are_not_kept) {
  EXPECT_EQ(plan_of({.network = "paper2"}).error().what,
            "the network 'paper2' is there to be compared with, not to be kept");
}

TEST(Choice, Its_name_says_what_it_is) {
  EXPECT_EQ((Choice{}.name()), "sequence layers");
  EXPECT_EQ((Choice{.network = "paper2", .features = "plain", .reading = "tokens"}.name()), "paper2 plain tokens");
}

}  // namespace
}  // namespace dryfit::training
