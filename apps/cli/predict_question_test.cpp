// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_question.h"

#include <gtest/gtest.h>

#include "predict_testing.h"

namespace dryfit::cli {
namespace {

using predictor::Optimizer;
using predictor::Precision;

class PredictQuestionTest : public ::testing::Test {
 protected:
  Result<PredictQuestion> parse(std::string_view json, const PredictDefaults& defaults = {}) {
    return parse_question(json, defaults, {&known_, {}});
  }

  std::string problem_of(std::string_view json) {
    const auto question = parse(json);
    return question ? "" : question.error().what;
  }

  predictor::KnownModels known_ = testing::known_models();
};

TEST_F(PredictQuestionTest, A_description_is_read) {
  const auto question = parse(R"({"id": 7, "model": "resnet50", "batch": 64, "optimizer": "momentum",
                                  "precision": "bf16-amp", "checkpointing": true, "gpu": ["a100-40gb", "rtx-4090"],
                                  "coverage": 0.9})");
  ASSERT_TRUE(question) << question.error().what;
  EXPECT_EQ(question->id, "7");
  EXPECT_EQ(question->job.model.name, "resnet50");
  EXPECT_EQ(question->job.model.size, 224);
  EXPECT_EQ(question->job.batch, 64);
  EXPECT_EQ(question->job.optimizer, Optimizer::momentum);
  EXPECT_EQ(question->job.precision, Precision::bf16_amp);
  EXPECT_TRUE(question->job.checkpointing);
  EXPECT_EQ(question->gpus, (std::vector<std::string>{"a100-40gb", "rtx-4090"}));
  EXPECT_EQ(question->coverage, 0.9);
  EXPECT_EQ(question->known_size, 0);
}

TEST_F(PredictQuestionTest, What_it_leaves_out_comes_from_the_command_line) {
  const auto question = parse(R"({"batch": 8})", {.model = "bert-base", .optimizer = "sgd", .gpus = {"rtx-4090"}});
  ASSERT_TRUE(question) << question.error().what;
  EXPECT_EQ(question->job.model.name, "bert-base");
  EXPECT_EQ(question->job.optimizer, Optimizer::sgd);
  EXPECT_EQ(question->gpus, std::vector<std::string>{"rtx-4090"});
}

TEST_F(PredictQuestionTest, A_model_may_be_described_instead_of_named) {
  const auto question = parse(R"({"model": {"parameters": 1e6, "size": 32, "flops": 5}, "batch": 4})");
  ASSERT_TRUE(question) << question.error().what;
  EXPECT_EQ(question->job.model.parameters, 1e6);
  EXPECT_EQ(question->job.model.parameter_bytes, 4e6);
  EXPECT_EQ(problem_of(R"({"model": {"parameters": 1e6}, "batch": 4})"), "the job's model: the job's 'size' is 0");
  EXPECT_EQ(problem_of(R"({"model": 5, "batch": 4})"),
            "the job's 'model' is not a name or an object that describes a model");
}

TEST_F(PredictQuestionTest, Another_size_than_the_known_one_is_remembered) {
  const auto question = parse(R"({"model": "resnet50", "size": 448, "batch": 4})");
  ASSERT_TRUE(question) << question.error().what;
  EXPECT_EQ(question->known_size, 224);
  EXPECT_EQ(question->job.model.size, 448);
  EXPECT_EQ(question->job.model.flops, 4 * 24e9);
}

TEST_F(PredictQuestionTest, What_is_missing_is_named) {
  EXPECT_EQ(problem_of("{}"), "the job has no 'model'");
  EXPECT_EQ(problem_of(R"({"model": "resnet50"})"), "the job has no 'batch'");
  EXPECT_EQ(problem_of("[]"), "not a JSON object");
  EXPECT_EQ(problem_of("{\"model\": "), "not a JSON object");
}

TEST_F(PredictQuestionTest, A_nonsensical_number_is_refused) {
  const auto with_batch = [&](const std::string& batch) {
    return problem_of(R"({"model": "resnet50", "batch": )" + batch + "}");
  };
  EXPECT_EQ(with_batch("0"), "the job's 'batch' is 0");
  EXPECT_EQ(with_batch("-1"), "the job's 'batch' is -1");
  EXPECT_EQ(with_batch("1.5"), "the job's 'batch' is 1.5");
  EXPECT_EQ(with_batch("1e300"), "the job's 'batch' is 1e+300");
  EXPECT_EQ(with_batch("\"64\""), "the job's 'batch' is not a number");
  EXPECT_EQ(with_batch("null"), "the job's 'batch' is not a number");
  EXPECT_EQ(with_batch("NaN"), "not a JSON object");
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "size": -224})"),
            "the job's 'size' is not a whole number above 0");
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "size": 1e9})"), "the job's 'size' is 1000000000");
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "coverage": 1})"), "the coverage must be between 0 and 1");
}

TEST_F(PredictQuestionTest, A_name_that_does_not_exist_is_refused_with_the_nearest) {
  const auto model = parse(R"({"model": "resnet5O", "batch": 1})");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().what, "unknown model 'resnet5O'");
  EXPECT_EQ(model.error().hint, "Did you mean 'resnet50'? Run `dryfit models` to list them.");
  const auto optimizer = parse(R"({"model": "resnet50", "batch": 1, "optimizer": "adanw"})");
  ASSERT_FALSE(optimizer);
  EXPECT_EQ(optimizer.error().hint.find("Did you mean 'adamw'? Use one of: sgd"), 0u) << optimizer.error().hint;
  const auto member = parse(R"({"model": "resnet50", "bacth": 1})");
  ASSERT_FALSE(member);
  EXPECT_EQ(member.error().what, "unknown key 'bacth'");
  EXPECT_EQ(member.error().hint.find("Did you mean 'batch'?"), 0u) << member.error().hint;
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "precision": "fp8"})"), "unknown precision 'fp8'");
}

TEST_F(PredictQuestionTest, Members_of_the_wrong_kind_are_refused) {
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "checkpointing": "yes"})"),
            "the job's 'checkpointing' is not true or false");
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "gpu": []})"),
            "the job's 'gpu' is not the name of a GPU or a list of names");
  EXPECT_EQ(problem_of(R"({"model": "resnet50", "batch": 1, "gpu": ["rtx-4090", 5]})"),
            "the job's 'gpu' is not the name of a GPU or a list of names");
}

TEST_F(PredictQuestionTest, Without_a_catalogue_it_says_why_there_is_none) {
  const auto question = parse_question(R"({"model": "resnet50", "batch": 1})", {}, {nullptr, {"no catalogue", ""}});
  ASSERT_FALSE(question);
  EXPECT_EQ(question.error().what, "no catalogue");
}

TEST_F(PredictQuestionTest, The_id_of_a_wrong_description_is_known) {
  EXPECT_EQ(id_in(R"({"id": "a \"b\"", "batch": "x"})"), R"("a \"b\"")");
  EXPECT_EQ(id_in("{}"), "");
  EXPECT_EQ(id_in("no JSON"), "");
}

}  // namespace
}  // namespace dryfit::cli
