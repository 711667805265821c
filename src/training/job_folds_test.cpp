// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_folds.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "training/harvest_testing.h"

namespace dryfit::training {
namespace {

TEST(JobFolds, No_family_is_in_two_folds_and_no_fold_is_empty) {
  const auto examples = testing::harvest_examples(50);
  const auto folds = fold_by_family(examples, 4);
  ASSERT_TRUE(folds) << folds.error().what;
  std::map<std::string, std::set<std::size_t>> folds_of_family;
  std::set<std::size_t> all;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    folds_of_family[examples[i].family].insert(folds->fold_of[i]);
    all.insert(folds->fold_of[i]);
  }
  for (const auto& [family, in] : folds_of_family) EXPECT_EQ(in.size(), 1u) << family;
  EXPECT_EQ(all, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(JobFolds, Large_families_are_spread_first) {
  HarvestExamples examples;
  for (const char family : std::string("aaaaaabbbccd")) examples.push_back({.family = std::string(1, family)});
  const auto folds = fold_by_family(examples, 2);
  ASSERT_TRUE(folds);
  EXPECT_EQ(folds->fold_of, (std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(JobFolds, Fewer_families_than_folds_cannot_be_divided) {
  EXPECT_EQ(fold_by_family(testing::harvest_examples(50), 7).error().what,
            "the harvest has examples of 6 families, too few for 7 folds");
  EXPECT_FALSE(fold_by_family(testing::harvest_examples(50), 1));
  EXPECT_FALSE(fold_by_family({}, 2));
}

}  // namespace
}  // namespace dryfit::training
