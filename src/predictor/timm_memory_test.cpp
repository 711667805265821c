// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_memory.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

struct MemoryTexts {
  std::string memory =
      "model,batch_size,param_count_m,gmacs,macts_m,measured_max_gpu_mem_mib,faketensor_mib\n"
      "big,8,20,4,10,3000,2000\n"
      "small,8,5,1,2,1000,600\n"
      "small,16,5,1,2,1500,900\n";
  std::string folds = "row,model5_s0\n0,0\n2,1\n";
  std::string sizes = "model,table_img,train_img\nbig,288,144\nsmall,224,224\n";
  std::string modules = "model,module\nbig,resnet\nsmall,vit\n";
  std::string blocks = block_rows();

  static std::string block_rows() {
    std::string header = "model,img,token";
    for (std::size_t i = 0; i < kBlockFields; ++i) header += "," + std::string(to_text(static_cast<BlockField>(i)));
    return header + "\n" + block("big,288,0", 9) + block("big,144,0", 1) + block("big,144,1", 2) +
           block("small,224,0", 3);
  }
  static std::string block(std::string row, int value) {
    for (std::size_t i = 0; i < kBlockFields; ++i) row += "," + std::to_string(value);
    return row + "\n";
  }
};

Result<TimmMemory> joined(const MemoryTexts& texts) {
  const auto table = [](const std::string& text, const char* name) {
    auto parsed = parse_table(text, name);
    EXPECT_TRUE(parsed) << parsed.error().what;
    return std::move(parsed).value();
  };
  return join_timm_memory({.memory = table(texts.memory, "memory.csv"),
                           .folds = table(texts.folds, "folds.csv"),
                           .sizes = table(texts.sizes, "sizes.csv"),
                           .modules = table(texts.modules, "modules.csv"),
                           .blocks = table(texts.blocks, "blocks.csv")},
                          "model5_s0");
}

std::string problem_of(const MemoryTexts& texts) {
  const auto data = joined(texts);
  return data ? "" : data.error().what;
}

TEST(TimmMemory, Only_the_rows_of_the_folds_are_there_and_the_folds_count_them) {
  const auto data = joined({});
  ASSERT_TRUE(data) << data.error().what;
  ASSERT_EQ(data->jobs.size(), 2u);
  EXPECT_EQ(data->jobs[1].model, "small");
  EXPECT_EQ(data->jobs[1].module, "vit");
  EXPECT_EQ(data->jobs[1].job.batch, 16);
  EXPECT_EQ(data->jobs[1].measured_mib, 1500);
  EXPECT_EQ(data->rows, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(data->folds.rows, (std::vector<std::size_t>{0, 1}));
}

TEST(TimmMemory, A_model_is_described_at_the_size_at_which_it_was_measured) {
  const auto data = joined({});
  ASSERT_TRUE(data) << data.error().what;
  const auto& job = data->jobs[0].job;
  EXPECT_EQ(job.image, 144);
  EXPECT_EQ(job.gmacs, 1);  // a quarter of 4
  EXPECT_EQ(job.macts_m, 2.5);
  ASSERT_EQ(job.blocks.size(), 2u);
  EXPECT_EQ(job.blocks[1][BlockField::macs], 2);
}

TEST(TimmMemory, A_model_of_which_something_is_not_known_is_named) {
  MemoryTexts texts;
  texts.sizes = "model,table_img,train_img\nbig,288,144\n";
  EXPECT_EQ(problem_of(texts), "memory.csv:4: no training size is known for the model 'small'");
  texts = {};
  texts.modules = "model,module\nbig,resnet\n";
  EXPECT_EQ(problem_of(texts), "memory.csv:4: no module is known for the model 'small'");
  texts = {};
  texts.sizes = "model,table_img,train_img\nbig,288,100\nsmall,224,224\n";
  EXPECT_EQ(problem_of(texts), "memory.csv:2: no list of blocks at its training size is known for the model 'big'");
}

TEST(TimmMemory, A_batch_of_zero_is_refused_with_its_line) {
  MemoryTexts texts;
  texts.memory.replace(texts.memory.find("small,16"), 8, "small,0");
  EXPECT_EQ(problem_of(texts), "memory.csv:4: the job's 'batch' is 0.000000");
}

TEST(TimmMemory, Blocks_out_of_order_are_refused) {
  MemoryTexts texts;
  texts.blocks += MemoryTexts::block("small,224,2", 1);
  EXPECT_EQ(problem_of(texts), "blocks.csv:6: the block is not the next one of its model");
}

TEST(TimmMemory, As_a_data_set_each_fold_has_the_base_of_its_training_jobs) {
  const auto memory = joined({});
  ASSERT_TRUE(memory) << memory.error().what;
  const auto data = timm_memory_set(*memory, "model5_s0", FeatureSet::plain);
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->rows(), memory->rows);
  EXPECT_EQ(data->truth(), (std::vector<double>{3000, 1500}));
  // One job each: the base of fold 0 is fitted to the second, that of fold 1 to the first.
  EXPECT_NEAR(data->bases[0][1], 1500, 1e-6);
  EXPECT_NEAR(data->bases[1][0], 3000, 1e-6);
  EXPECT_EQ(data->examples[0].features, features_of(memory->jobs[0].job, FeatureSet::plain));
}

TEST(TimmMemory, Groups_are_modules_where_the_folds_keep_them_apart_else_models) {
  const auto memory = joined({});
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_EQ(timm_memory_set(*memory, "module5_s0", FeatureSet::plain)->groups()[0], "resnet");
  EXPECT_EQ(timm_memory_set(*memory, "model5_s0", FeatureSet::plain)->groups()[0], "big");
}

}  // namespace
}  // namespace dryfit::predictor
