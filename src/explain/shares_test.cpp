// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/shares.h"

#include <gtest/gtest.h>

#include "explain/difference.h"

namespace dryfit::explain {
namespace {

using namespace literals;

/// Two blocks, a head, and something that is gone at the peak.
Explanation sample() {
  Explanation result;
  result.names = {"", "Net.h.0.fc", "Net.h.1.fc", "Net.head", "train.py", "main", "linear"};
  result.lines = {{.file = 4, .line = 7, .function = 5}};
  const auto add = [&](NameId module, Bytes bytes, Category category, Event died = kNever) {
    result.allocations.push_back({.born = 0,
                                  .died = died,
                                  .bytes = bytes,
                                  .requested = bytes,
                                  .category = category,
                                  .module = module,
                                  .op = 6,
                                  .line = 0});
  };
  add(1, 4_MiB, Category::parameters);
  add(1, 8_MiB, Category::activations);
  add(2, 4_MiB, Category::parameters);
  add(3, 6_MiB, Category::parameters);
  add(0, 2_MiB, Category::inputs);
  add(3, 64_MiB, Category::temporaries, 3);
  result.peak.event = 5;
  result.peak.allocated = 24_MiB;
  result.peak.categories[static_cast<std::size_t>(Category::parameters)] = 14_MiB;
  return result;
}

TEST(Shares, Modules_of_a_list_are_one_row) {
  const auto shares = shares_of(sample(), {.by = By::module});
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].name, "Net.h.*.fc");
  EXPECT_EQ(shares[0].bytes, 16_MiB);
  EXPECT_EQ(shares[0].modules, 2u);
  EXPECT_EQ(shares[0].main(), Category::parameters);
  EXPECT_EQ(shares[1].name, "Net.head");
  EXPECT_EQ(shares[2].name, "");
}

TEST(Shares, Each_module_can_be_a_row_and_a_path_can_be_cut) {
  EXPECT_EQ(shares_of(sample(), {.by = By::module, .each = true}).at(0).name, "Net.h.0.fc");
  const auto cut = shares_of(sample(), {.by = By::module, .depth = 1});
  EXPECT_EQ(cut.at(0).name, "Net");
  EXPECT_EQ(cut.at(0).bytes, 22_MiB);
}

TEST(Shares, Every_kind_of_group_sums_to_what_is_allocated) {
  const auto explanation = sample();
  for (const auto by : {By::category, By::module, By::line, By::op}) {
    Bytes sum;
    for (const auto& share : shares_of(explanation, {.by = by})) sum += share.bytes;
    EXPECT_EQ(sum, explanation.peak.allocated) << to_text(by);
  }
}

TEST(Shares, Numbers_inside_a_path_stand_for_all) {
  EXPECT_EQ(pattern_of("Net.h.11.mlp.0"), "Net.h.*.mlp.0") << "the last part distinguishes layers of a block";
  EXPECT_EQ(pattern_of("Vit.layers.encoder_layer_11.mlp"), "Vit.layers.encoder_layer_*.mlp");
  EXPECT_EQ(pattern_of("Net.layer1.conv2"), "Net.layer1.conv2");
  EXPECT_EQ(pattern_of(""), "");
}

TEST(Shares, A_line_is_shown_without_its_folder) {
  auto explanation = sample();
  explanation.names[4] = "/home/me/train.py";
  EXPECT_EQ(line_text(explanation, 0), "train.py:7 main");
  EXPECT_EQ(line_text(explanation, kNone), "");
}

TEST(Difference, Only_what_changed_is_listed_and_the_largest_first) {
  const auto before = sample();
  auto after = sample();
  after.allocations[1].bytes = 2_MiB;
  after.allocations[3].bytes = 7_MiB;
  after.peak.allocated = 19_MiB;
  const auto result = difference_of(before, after);
  EXPECT_EQ(result.allocated.by(), -(5 << 20));
  ASSERT_EQ(result.modules.size(), 2u);
  EXPECT_EQ(result.modules[0].name, "Net.h.*.fc");
  EXPECT_EQ(result.modules[0].by(), -(6 << 20));
  EXPECT_EQ(result.modules[1].by(), 1 << 20);
  EXPECT_TRUE(difference_of(before, before).modules.empty());
}

TEST(Difference, A_line_that_only_moved_is_not_a_change) {
  const auto before = sample();
  auto after = sample();
  after.lines[0].line = 9;
  EXPECT_TRUE(difference_of(before, after).lines.empty());
}

TEST(Difference, Lines_of_a_file_that_nobody_edited_are_compared_one_by_one) {
  const auto before = sample();
  auto after = sample();
  after.allocations[1].bytes = 2_MiB;
  const auto result = difference_of(before, after);
  ASSERT_EQ(result.lines.size(), 1u);
  EXPECT_EQ(result.lines[0].name, "train.py:7 main");
}

}  // namespace
}  // namespace dryfit::explain
