// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/block_sequence.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

using Field = BlockField;

/// Of a batch of 2: 64 floats in, 64 out.
Layer linear(std::string name, double held = 512) {
  return {.name = std::move(name),
          .kind = "Linear",
          .inputs = {{2, 64}},
          .outputs = {{2, 64}},
          .parameters = 4096,
          .held_bytes = held};
}

Layer activation(std::string name, double held, double between = 0) {
  return {.name = std::move(name),
          .kind = "ReLU",
          .inputs = {{2, 64}},
          .outputs = {{2, 64}},
          .between_bytes = between,
          .held_bytes = held};
}

double sum_of(const std::vector<Block>& blocks, Field field) {
  double sum = 0;
  for (const auto& block : blocks) sum += block[field];
  return sum;
}

TEST(BlockName, A_layer_belongs_to_the_numbered_container_around_it) {
  EXPECT_EQ(block_name("layer2.1.conv1"), "layer2.1");
  EXPECT_EQ(block_name("layer2.0.downsample.0"), "layer2.0");
  EXPECT_EQ(block_name("bert.encoder.layer.3.attention.self.query"), "bert.encoder.layer.3");
  EXPECT_EQ(block_name("encoder.layers.encoder_layer_11.mlp.0"), "encoder.layers.encoder_layer_11");
  EXPECT_EQ(block_name("features.4.conv.0.0"), "features.4");
}

TEST(BlockName, A_block_in_a_stage_is_the_block) {
  EXPECT_EQ(block_name("features.5.12.block.0"), "features.5.12");
  EXPECT_EQ(block_name("stages.2.blocks.5.mlp.fc1"), "stages.2.blocks.5");
  EXPECT_EQ(block_name("resnet.encoder.stages.1.layers.0.layer.0.convolution"), "resnet.encoder.stages.1.layers.0");
  EXPECT_EQ(block_name("features.denseblock1.denselayer3.conv1"), "features.denseblock1.denselayer3");
}

TEST(BlockName, A_layer_of_a_row_of_layers_is_a_block_of_its_own) {
  EXPECT_EQ(block_name("features.4"), "features.4");
  EXPECT_EQ(block_name("features.0.1"), "features.0") << "but not a layer of a numbered container";
}

TEST(BlockName, Without_a_number_it_is_the_first_word) {
  EXPECT_EQ(block_name("bert.embeddings.word_embeddings"), "bert");
  EXPECT_EQ(block_name("conv1"), "conv1");
  EXPECT_EQ(block_name("fc"), "fc");
  EXPECT_EQ(block_name(""), "");
}

TEST(BlockSequence, Without_layers_there_are_no_blocks) { EXPECT_TRUE(blocks_of({}, 1).empty()); }

TEST(BlockSequence, Numbers_are_per_sample) {
  const auto blocks = blocks_of(std::vector{linear("fc")}, 2);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0][Field::run], 1);
  EXPECT_EQ(blocks[0][Field::saved_bytes], 256);
  EXPECT_EQ(blocks[0][Field::max_out_bytes], 256);
  EXPECT_EQ(blocks[0][Field::macs], 4096);
  EXPECT_EQ(blocks[0][Field::param_bytes], 16384) << "parameters are there once, whatever the batch";
  EXPECT_EQ(blocks[0][Field::n_linear], 1);
}

TEST(BlockSequence, Neighbours_that_are_alike_become_one_with_a_run) {
  const auto blocks = blocks_of(std::vector{linear("h.0.fc"), linear("h.1.fc"), linear("h.2.fc"), linear("head")}, 2);
  ASSERT_EQ(blocks.size(), 1u) << "a head like the others is one of them";
  EXPECT_EQ(blocks[0][Field::run], 4);
  EXPECT_EQ(blocks[0][Field::n_linear], 4);
  EXPECT_EQ(blocks[0][Field::saved_bytes], 4 * 256);
  EXPECT_EQ(blocks[0][Field::max_out_bytes], 256);
}

TEST(BlockSequence, A_module_that_is_called_twice_has_its_parameters_once) {
  const auto blocks = blocks_of(std::vector{linear("h.0.fc"), linear("h.0.fc")}, 2);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0][Field::param_bytes], 16384);
  EXPECT_EQ(blocks[0][Field::n_linear], 2);
}

TEST(BlockSequence, A_linear_layer_holds_no_more_than_its_output) {
  const double workspace = 8519680;
  EXPECT_EQ(blocks_of(std::vector{linear("fc", 512 + workspace)}, 2)[0][Field::saved_bytes], 256);
}

TEST(BlockSequence, Among_equal_blocks_the_one_that_holds_least_stands_for_all) {
  const auto blocks = blocks_of(std::vector{activation("h.0.act", 9000), activation("h.1.act", 512)}, 2);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0][Field::saved_bytes], 512);
  EXPECT_EQ(blocks[0][Field::saved_act], 512);
}

TEST(BlockSequence, Memory_kept_by_functions_belongs_to_the_block_before_them) {
  const auto blocks = blocks_of(
      std::vector{activation("stem", 512, 100), activation("h.0.act", 512, 40), linear("h.0.fc"), linear("head")}, 2);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0][Field::saved_func], 70) << "what came before the first layer, and what came behind it";
  EXPECT_EQ(blocks[0][Field::n_func], 2);
  EXPECT_EQ(blocks[0][Field::saved_bytes], 256 + 70);
  EXPECT_EQ(blocks[1][Field::saved_func], 0);
}

TEST(BlockSequence, Memory_that_is_given_back_never_makes_a_number_negative) {
  const auto blocks = blocks_of(std::vector{activation("a", 100), activation("b", 0, -4000)}, 2);
  for (const auto& block : blocks) {
    for (const auto value : block.values) EXPECT_GE(value, 0);
  }
}

TEST(BlockSequence, Convolutions_leave_their_sizes) {
  const Layer depthwise{.name = "dw",
                        .kind = "Conv2d",
                        .inputs = {{2, 32, 8, 8}},
                        .outputs = {{2, 32, 4, 4}},
                        .parameters = 288,
                        .kernel_size = {3, 3},
                        .groups = 32};
  const auto block = blocks_of(std::vector{depthwise}, 2)[0];
  EXPECT_EQ(block[Field::n_depthwise], 1);
  EXPECT_EQ(block[Field::max_depthwise_bytes], 32 * 8 * 8 * 4);
  EXPECT_EQ(block[Field::k_group_dw], 3);
  EXPECT_EQ(block[Field::hw_group_dw], 4);
  EXPECT_EQ(block[Field::max_groups], 32);
  EXPECT_EQ(block[Field::max_channels], 32);
  EXPECT_EQ(block[Field::k_conv], 0);
}

TEST(BlockSequence, Too_many_blocks_are_merged_lightest_neighbours_first_and_nothing_is_lost) {
  std::vector<Layer> layers;
  for (int i = 0; i < 20; ++i) {
    layers.push_back(i % 2 == 0 ? linear("h." + std::to_string(i) + ".fc")
                                : activation("h." + std::to_string(i) + ".act", 100.0 * i));
  }
  const auto blocks = blocks_of(layers, 2);
  ASSERT_EQ(blocks.size(), kMostBlocks);
  EXPECT_EQ(sum_of(blocks, Field::run), 20);
  EXPECT_EQ(sum_of(blocks, Field::n_linear), 10);
  EXPECT_EQ(sum_of(blocks, Field::saved_act), 50.0 * (1 + 3 + 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19));
  EXPECT_GT(blocks.front()[Field::run], 1) << "those in front hold least";
  EXPECT_EQ(blocks.back()[Field::run], 1);
}

}  // namespace
}  // namespace dryfit::predictor
