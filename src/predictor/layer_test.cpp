// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/layer.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

Layer convolution(double groups, std::int64_t kernel) {
  return {.kind = "Conv2d",
          .inputs = {{2, 32, 10, 10}},
          .outputs = {{2, 64, 5, 5}},
          .parameters = 1,
          .kernel_size = {kernel, kernel},
          .groups = groups};
}

LayerRole role_of_kind(const char* kind) { return role_of({.kind = kind}); }

TEST(Layer, The_role_of_a_convolution_depends_on_its_kernel_and_groups) {
  EXPECT_EQ(role_of(convolution(1, 3)), LayerRole::convolution);
  EXPECT_EQ(role_of(convolution(1, 1)), LayerRole::pointwise);
  EXPECT_EQ(role_of(convolution(4, 3)), LayerRole::grouped);
  EXPECT_EQ(role_of(convolution(32, 3)), LayerRole::depthwise);
}

TEST(Layer, The_role_of_other_layers_depends_on_their_kind) {
  EXPECT_EQ(role_of_kind("Linear"), LayerRole::linear);
  EXPECT_EQ(role_of_kind("Conv1D"), LayerRole::linear) << "that of transformers has no kernel";
  EXPECT_EQ(role_of_kind("LlamaRMSNorm"), LayerRole::norm);
  EXPECT_EQ(role_of_kind("BatchNormAct2d"), LayerRole::norm);
  EXPECT_EQ(role_of_kind("NewGELUActivation"), LayerRole::activation);
  EXPECT_EQ(role_of_kind("ReLU6"), LayerRole::activation);
  EXPECT_EQ(role_of({.kind = "MaxPool2d", .kernel_size = {3}}), LayerRole::pool);
  EXPECT_EQ(role_of_kind("MultiheadAttention"), LayerRole::other);
}

TEST(Layer, Multiply_adds_of_a_convolution_follow_from_its_shapes) {
  EXPECT_EQ(multiply_adds_of(convolution(1, 3)), 2 * 64 * 5 * 5 * 32 * 9.0);
  EXPECT_EQ(multiply_adds_of(convolution(32, 3)), 2 * 64 * 5 * 5 * 9.0);
}

TEST(Layer, A_transposed_convolution_works_for_each_of_its_inputs) {
  auto layer = convolution(1, 2);
  layer.kind = "ConvTranspose2d";
  EXPECT_EQ(multiply_adds_of(layer), 2 * 32 * 10 * 10 * 64 * 4.0);
}

TEST(Layer, Multiply_adds_of_a_linear_layer_follow_from_its_shapes) {
  EXPECT_EQ(multiply_adds_of({.kind = "Linear", .inputs = {{2, 7, 16}}, .outputs = {{2, 7, 32}}}), 2 * 7 * 32 * 16.0);
}

TEST(Layer, Without_usable_shapes_a_sixth_of_the_counted_operations_are_multiply_adds) {
  EXPECT_EQ(multiply_adds_of({.kind = "MultiheadAttention", .flops = 600}), 100);
}

}  // namespace
}  // namespace dryfit::predictor
