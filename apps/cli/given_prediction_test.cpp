// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "given_prediction.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "predict_report.h"
#include "predict_testing.h"

namespace dryfit::cli {
namespace {

using namespace literals;
using history::PastPrediction;
using history::PeakKind;

/// What `dryfit predict --json` prints, with a bound that the site raised by a half.
std::string answer_on(std::vector<std::string> gpus) {
  static const auto catalogue = testing::card_catalogue();
  static const CardNames cards(catalogue);
  static const auto known = testing::known_models();
  const auto site = testing::site_with(testing::half_too_low());
  const auto answer = answer_of(*question_of(testing::resnet_on(std::move(gpus)), {&known, {}}), cards,
                                testing::always(1 << 30, 1 << 30), &site);
  return predict_json(*answer, R"({"file":"jobs.dryfit-model"})");
}

TEST(GivenPrediction, An_answer_of_predict_is_taken_as_it_is) {
  const auto given = read_prediction(answer_on({"rtx-4090"}), "");
  ASSERT_TRUE(given) << given.error().what;
  EXPECT_EQ(given->predicted, (PastPrediction{1_GiB, 1_GiB, 0.95, PeakKind::beside_context, "jobs.dryfit-model"}));
  EXPECT_EQ(given->card, "rtx-4090-24gb");
  EXPECT_EQ(nlohmann::json::parse(given->job)["model"], "resnet50");
}

TEST(GivenPrediction, The_bound_is_that_of_the_model_and_not_the_corrected_one) {
  const auto json = nlohmann::json::parse(answer_on({"rtx-4090"}));
  EXPECT_GT(json["cards"][0]["upper_bytes"], (1 << 30) * 1.4);
  EXPECT_EQ(read_prediction(json.dump(), "")->predicted.upper, 1_GiB);
}

TEST(GivenPrediction, With_several_cards_the_one_that_the_job_ran_on_is_taken) {
  const auto answer = answer_on({"rtx-4090", "a100-40gb"});
  EXPECT_EQ(read_prediction(answer, "a100-40gb")->card, "a100-40gb");
  EXPECT_EQ(read_prediction(answer, "").error().what, "the prediction is for several GPUs: rtx-4090-24gb, a100-40gb");
  EXPECT_EQ(read_prediction(answer, "h100-80gb").error().what,
            "the prediction is not for 'h100-80gb' but for rtx-4090-24gb, a100-40gb");
}

TEST(GivenPrediction, Anything_but_a_prediction_is_refused) {
  for (const auto* text : {"", "7", "{}", R"({"line":3,"error":"no"})", R"({"cards":[],"model_file":{}})"}) {
    EXPECT_EQ(read_prediction(text, "").error().what, "the prediction has no 'median_bytes'") << text;
  }
  EXPECT_FALSE(read_prediction(R"({"cards":[{"median_bytes":"x"}],"model_file":{}})", ""));
}

}  // namespace
}  // namespace dryfit::cli
