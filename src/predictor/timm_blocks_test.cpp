// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_blocks.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

Result<BlockLists> blocks(const std::vector<std::string>& places) {
  std::string text = "model,img,token";
  for (std::size_t i = 0; i < kBlockFields; ++i) text += "," + std::string(to_text(static_cast<BlockField>(i)));
  for (const auto& place : places) {
    text += "\n" + place;
    for (std::size_t i = 0; i < kBlockFields; ++i) text += "," + std::to_string(i);
  }
  return blocks_in(*parse_table(text + "\n", "blocks.csv"));
}

TEST(TimmBlocks, Blocks_are_found_by_model_and_image_size_in_their_order) {
  const auto lists = blocks({"a,224,0", "a,224,1", "a,288,0", "b,224,0"});
  ASSERT_TRUE(lists) << lists.error().what;
  EXPECT_EQ(lists->size(), 3u);
  EXPECT_EQ(lists->at({"a", 224}).size(), 2u);
  EXPECT_EQ(lists->at({"b", 224})[0].values[3], 3);
}

TEST(TimmBlocks, A_block_that_is_not_the_next_is_named_with_its_place) {
  EXPECT_EQ(blocks({"a,224,0", "a,224,2"}).error().what, "blocks.csv:3: the block is not the next one of its model");
}

}  // namespace
}  // namespace dryfit::predictor
