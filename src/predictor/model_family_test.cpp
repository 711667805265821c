// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_family.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

TEST(ModelFamily, Sizes_of_one_architecture_are_of_one_family) {
  for (const auto* name : {"densenet121", "densenet201"}) EXPECT_EQ(family_of(name), "densenet");
  for (const auto* name : {"swin_t", "swin_v2_b"}) EXPECT_EQ(family_of(name), "swin");
  for (const auto* name : {"vgg11", "vgg16_bn"}) EXPECT_EQ(family_of(name), "vgg");
  for (const auto* name : {"gpt2", "gpt2-large", "distilgpt2", "gpt-neo-125m"}) EXPECT_EQ(family_of(name), "gpt");
}

TEST(ModelFamily, Models_of_the_same_blocks_are_of_one_family_in_any_library) {
  for (const auto* name : {"resnet50", "resnet-50", "wide_resnet50_2", "resnext101_32x8d", "seresnet33ts"}) {
    EXPECT_EQ(family_of(name), "resnet");
  }
  for (const auto* name : {"bert-base", "roberta-large", "distilbert", "albert-base", "electra-small"}) {
    EXPECT_EQ(family_of(name), "bert");
  }
  for (const auto* name : {"vit_b_16", "vit-large", "deit_small_patch16_224"}) EXPECT_EQ(family_of(name), "vit");
  for (const auto* name : {"mobilenet_v3_small", "efficientnet_b0", "mnasnet1_0"}) EXPECT_EQ(family_of(name), "mbconv");
  for (const auto* name : {"llama-160m", "tinyllama-1.1b", "qwen2-0.5b"}) EXPECT_EQ(family_of(name), "llama");
  EXPECT_EQ(family_of("convnext_tiny"), family_of("convnext-tiny"));
}

TEST(ModelFamily, A_name_with_another_inside_is_not_taken_for_it) {
  EXPECT_EQ(family_of("maxvit_t"), "maxvit");
  EXPECT_EQ(family_of("convnextv2_base"), "convnext");
  EXPECT_EQ(family_of("opt-125m"), "opt");
}

TEST(ModelFamily, Case_does_not_matter_nor_does_a_name_without_letters) {
  EXPECT_EQ(family_of("ResNet50"), "resnet");
  EXPECT_EQ(family_of("3dnet"), "3dnet");
}

}  // namespace
}  // namespace dryfit::predictor
