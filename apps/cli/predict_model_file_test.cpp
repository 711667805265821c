// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_model_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "work_folder.h"

namespace dryfit::cli {
namespace {

class PredictModelFileTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.path() / name) << text; }

  WorkFolder folder_ = std::move(WorkFolder::temporary()).value();
};

TEST_F(PredictModelFileTest, The_only_model_of_the_folder_is_taken) {
  write("models.jsonl", "");
  write("jobs.dryfit-model", "");
  write("compute.dryfit-model", "of step times, which is requested by its name");
  const auto file = default_model_file(folder_.path());
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(*file, folder_.path() / "jobs.dryfit-model");
}

TEST_F(PredictModelFileTest, Models_are_beside_the_cards) {
  EXPECT_EQ(models_folder({.cards = "/usr/share/dryfit/cards"}), "/usr/share/dryfit/models");
}

TEST_F(PredictModelFileTest, Without_one_it_says_how_to_get_one) {
  for (const auto& folder : {folder_.path(), folder_.path() / "nowhere"}) {
    const auto file = default_model_file(folder);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().what, "no learned model in '" + folder.string() + "'");
    EXPECT_NE(file.error().hint.find("--model-file"), std::string::npos);
  }
}

TEST_F(PredictModelFileTest, With_several_models_one_must_be_named) {
  write("b.dryfit-model", "");
  write("a.dryfit-model", "");
  EXPECT_EQ(default_model_file(folder_.path()).error().what,
            "more than one learned model in '" + folder_.path().string() + "': a.dryfit-model, b.dryfit-model");
}

TEST_F(PredictModelFileTest, One_description_may_take_several_lines) {
  write("job.json", "{\n  \"batch\": 4\n}\n");
  EXPECT_EQ(single_description(folder_.path() / "job.json"), "{\n  \"batch\": 4\n}\n");
  write("jobs.jsonl", "{\"batch\": 4}\n{\"batch\": 8}\n");
  EXPECT_FALSE(single_description(folder_.path() / "jobs.jsonl"));
}

}  // namespace
}  // namespace dryfit::cli
