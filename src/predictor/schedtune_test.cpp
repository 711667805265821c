// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/schedtune.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dryfit::predictor {
namespace {

constexpr std::string_view kHeader =
    "model,batchsize,activations,parameters,input,peak mem usage,Pipelines/CUDA cores,Memory bandwidth (GB/s),"
    "Memory clock speed (MHz),Tensor cores,SM count\n";

/// Peaks are 500 + 2 * activations + 3 * parameters + 4 * input.
std::string stats() {
  std::string text(kHeader);
  for (int i = 0; i < 12; ++i) {
    const int activations = 100 + 37 * (i % 5);
    const int parameters = 40 + 11 * (i % 3);
    const int input = 4 + i % 4;
    const int peak = 500 + 2 * activations + 3 * parameters + 4 * input;
    text += (i < 6 ? "resnet" : "vgg") + std::to_string(11 + i % 2) + ",8," + std::to_string(activations) + "," +
            std::to_string(parameters) + "," + std::to_string(input) + "," + std::to_string(peak) +
            (i % 2 ? ",2496,240.6,5012,0,13\n" : ",2560,448,14000,320,40\n");
  }
  return text;
}

std::string folds() {
  std::string text = "row,model12,family3,gpu5\n";
  for (int i = 0; i < 12; ++i)
    text += std::to_string(i) + "," + std::to_string(i % 2) + "," + (i < 6 ? "0,0\n" : "1,1\n");
  return text;
}

Result<DataSet> read(std::string_view protocol, const std::string& text = stats()) {
  const auto table = parse_table(text, "stats.csv");
  const auto fold_table = parse_table(folds(), "folds.csv");
  EXPECT_TRUE(table && fold_table);
  return schedtune_set(*table, *fold_table, protocol);
}

TEST(Schedtune, A_base_of_four_terms_is_found_again_and_is_the_tenth_input) {
  const auto data = read("model12");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->examples.size(), 12u);
  for (std::size_t place = 0; place < 12; ++place) {
    EXPECT_NEAR(data->bases[0][place], data->examples[place].truth, 1e-6);
    ASSERT_EQ(inputs_of(*data, 0, place).size(), 10u);
    EXPECT_NEAR(inputs_of(*data, 0, place)[9], std::log(data->examples[place].truth), 1e-9);
  }
  EXPECT_EQ(data->feature_names[7], "log1p Tensor cores");
  EXPECT_EQ(data->examples[1].features[7], 0);
}

TEST(Schedtune, Groups_are_what_the_folds_keep_apart) {
  EXPECT_EQ(read("model12")->examples[0].group, "resnet11");
  EXPECT_EQ(read("model12")->group_kind, "models");
  EXPECT_EQ(read("family3")->examples[11].group, "vgg");
  EXPECT_EQ(read("family3")->group_kind, "families");
  EXPECT_EQ(read("gpu5")->examples[1].group, "2496");
  EXPECT_EQ(read("gpu5")->group_kind, "GPUs");
}

TEST(Schedtune, A_peak_of_zero_is_refused_with_its_line) {
  const auto data = read("model12", std::string(kHeader) + "vgg11,8,1,1,1,0,2496,240.6,5012,0,13\n");
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().what, "folds.csv:3: 'row' is not a whole number from 0 to 0");
  auto text = stats();
  text.replace(text.find("resnet11,8,100,40,4,836"), 23, "resnet11,8,100,40,4,0");
  EXPECT_EQ(read("model12", text).error().what, "stats.csv:2: 'peak mem usage' is not above zero");
}

}  // namespace
}  // namespace dryfit::predictor
