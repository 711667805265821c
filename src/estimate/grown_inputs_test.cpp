// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/grown_inputs.h"

#include <gtest/gtest.h>

#include <vector>

namespace dryfit::estimate {
namespace {

std::optional<std::string> grown_at(std::uint64_t batch, const std::vector<std::string_view>& texts) {
  const std::vector<std::uint64_t> batches{4, 8};
  return grown_inputs(texts, batches, batch);
}

TEST(GrownInputs, Dimensions_and_strides_grow_and_types_stay) {
  EXPECT_EQ(grown_at(100, {R"({"Input type":["float",""],"Input Dims":[[4,3],[]],"Input Strides":[[3,1],[]]})",
                           R"({"Input type":["float",""],"Input Dims":[[8,3],[]],"Input Strides":[[3,1],[]]})"}),
            R"({"Input type":["float",""],"Input Dims":[[100,3],[]],"Input Strides":[[3,1],[]]})");
}

TEST(GrownInputs, Sizes_as_text_grow_and_other_numbers_stay) {
  EXPECT_EQ(grown_at(16, {R"({"Concrete Inputs":["[4, 64]","0.25","","True","7"]})",
                          R"({"Concrete Inputs":["[8, 64]","0.125","","True","9"]})"}),
            R"({"Concrete Inputs":["[16, 64]","0.25","","True","7"]})");
}

TEST(GrownInputs, Another_type_or_rank_or_growth_is_refused) {
  EXPECT_FALSE(grown_at(16, {R"({"Input type":["float"]})", R"({"Input type":["double"]})"}));
  EXPECT_FALSE(grown_at(16, {R"({"Input Dims":[[4,3]]})", R"({"Input Dims":[[8]]})"}));
  EXPECT_FALSE(grown_at(16, {R"({"Input Dims":[[5]]})", R"({"Input Dims":[[9]]})"}));
  EXPECT_FALSE(grown_at(16, {R"({"Input Dims":[[5]]})", ""}));
}

TEST(GrownInputs, What_is_the_same_is_not_touched) { EXPECT_EQ(grown_at(16, {"", ""}), ""); }

}  // namespace
}  // namespace dryfit::estimate
