// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_throughput.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/job.h"

namespace dryfit::predictor {
namespace {

struct ThroughputTexts {
  std::string measured = "model,train_samples_per_sec\na,100\nb,200\nc,300\nd,400\n";
  std::string features =
      "row,model,module,batch,img,params,layers,gmacs,bytes,ew,dws,lins,memsh,roof_t,roof_gf\n"
      "0,a,resnet,8,224,5,50,10,20,9,0,0.5,0.4,0.1,10000\n"
      "2,c,resnet,8,224,5,50,10,20,9,0,0.5,0.4,0.1,20000\n"
      "3,d,vit,8,224,5,50,10,20,9,0,0.5,0.4,0.1,10000\n";
  std::string folds = "row,module5_s0\n0,0\n1,0\n2,0\n3,1\n";
  std::string blocks = blocks_of({"a,224,0", "a,224,1", "c,224,0", "d,224,0"});

  /// The fields of the block at row r are all r + 1.
  static std::string blocks_of(const std::vector<std::string>& places) {
    std::string text = "model,img,token";
    for (std::size_t i = 0; i < kBlockFields; ++i) text += "," + std::string(to_text(static_cast<BlockField>(i)));
    for (std::size_t row = 0; row < places.size(); ++row) {
      text += "\n" + places[row];
      for (std::size_t i = 0; i < kBlockFields; ++i) text += "," + std::to_string(row + 1);
    }
    return text + "\n";
  }
};

Result<DataSet> joined_throughput(const ThroughputTexts& texts,
                                  ThroughputFeatures features = ThroughputFeatures::roofline) {
  const auto table = [](const std::string& text, const char* name) {
    return std::move(parse_table(text, name)).value();
  };
  return timm_throughput_set({.measured = table(texts.measured, "measured.csv"),
                              .features = table(texts.features, "features.csv"),
                              .folds = table(texts.folds, "folds.csv"),
                              .blocks = table(texts.blocks, "blocks.csv")},
                             "module5_s0", features);
}

TEST(TimmThroughput, Achieved_is_six_times_the_multiply_adds_and_rows_without_features_are_left_out) {
  const auto data = joined_throughput({});
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->rows(), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(data->truth(), (std::vector<double>{6, 18, 24}));
  EXPECT_EQ(data->groups(), (std::vector<std::string>{"resnet", "resnet", "vit"}));
  EXPECT_EQ(data->folds.tested_in(0), (std::vector<std::size_t>{0, 1}));
}

TEST(TimmThroughput, The_base_is_the_roofline_times_the_median_ratio_of_the_training_rows) {
  const auto data = joined_throughput({});
  ASSERT_TRUE(data) << data.error().what;
  // Fold 0 is trained on 24 of 10; fold 1 on 6 of 10 and 18 of 20, the middle of which is 0.75.
  EXPECT_EQ(data->bases[0], (std::vector<double>{24, 48, 24}));
  EXPECT_EQ(data->bases[1], (std::vector<double>{7.5, 15, 7.5}));
}

TEST(TimmThroughput, Sizes_are_logarithms_and_shares_are_not) {
  const auto data = joined_throughput({});
  ASSERT_TRUE(data) << data.error().what;
  ASSERT_EQ(data->examples[0].features.size(), 12u);
  EXPECT_EQ(data->examples[0].features[1], std::log(8));
  EXPECT_EQ(data->examples[0].features[8], 0.5);
  EXPECT_EQ(joined_throughput({}, ThroughputFeatures::plain)->feature_names,
            (std::vector<std::string>{"log params", "log batch", "log img", "log layers", "log gmacs"}));
}

TEST(TimmThroughput, Tokens_are_the_blocks_of_the_model_and_what_grows_with_the_batch_is_multiplied_by_it) {
  const auto data = joined_throughput({});
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->token_features, kBlockFields);
  ASSERT_EQ(data->examples[0].tokens.size(), 2 * kBlockFields);
  ASSERT_EQ(data->examples[1].tokens.size(), kBlockFields);
  EXPECT_EQ(data->examples[1].tokens[static_cast<std::size_t>(BlockField::saved_bytes)], std::log1p(3 * 8));
  EXPECT_EQ(data->examples[1].tokens[static_cast<std::size_t>(BlockField::n_conv)], std::log1p(3));
}

TEST(TimmThroughput, A_model_without_blocks_at_its_image_size_is_named) {
  ThroughputTexts texts;
  texts.blocks = ThroughputTexts::blocks_of({"a,224,0", "c,192,0", "d,224,0"});
  EXPECT_EQ(joined_throughput(texts).error().what,
            "features.csv:3: no blocks are known for the model 'c' at its image size");
}

TEST(TimmThroughput, Features_of_another_table_are_refused) {
  ThroughputTexts texts;
  texts.measured = "model,train_samples_per_sec\na,100\nb,200\nx,300\nd,400\n";
  EXPECT_EQ(joined_throughput(texts).error().what, "features.csv:3: the row is not the next one of the model 'c'");
}

TEST(TimmThroughput, A_fold_of_which_nothing_is_known_is_refused) {
  ThroughputTexts texts;
  texts.folds = "row,module5_s0\n0,0\n1,1\n2,0\n3,0\n";
  EXPECT_EQ(joined_throughput(texts).error().what, "fold 1 has no row with features");
}

}  // namespace
}  // namespace dryfit::predictor
