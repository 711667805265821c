// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_answer.h"

#include <gtest/gtest.h>

#include <limits>

#include "predict_testing.h"

namespace dryfit::cli {
namespace {

using testing::always;
using testing::resnet_on;
using verdict::Answer;

constexpr double kGib = 1024.0 * 1024 * 1024;

class PredictAnswerTest : public ::testing::Test {
 protected:
  Result<PredictAnswer> answer(const Predict& predict, std::vector<std::string> gpus = {"rtx-4090"}, double size = 0) {
    auto defaults = resnet_on(std::move(gpus));
    defaults.size = size;
    return answer_of(*question_of(defaults, {&known_, {}}), cards_, predict);
  }

  PredictAnswer timed(const PredictCompute& compute) {
    return *answer_of(*question_of(resnet_on({"rtx-4090"}), {&known_, {}}), cards_, always(kGib, kGib), compute);
  }

  Answer verdict(double median, double upper) { return answer(always(median, upper))->cards[0].answer; }

  Catalogue catalogue_ = testing::card_catalogue();
  CardNames cards_{catalogue_};
  predictor::KnownModels known_ = testing::known_models();
};

TEST_F(PredictAnswerTest, The_cards_context_comes_on_top) {
  const auto answered = answer(always(5 * kGib, 6 * kGib));
  ASSERT_TRUE(answered) << answered.error().what;
  const auto& card = answered->cards[0];
  const auto& file = card.card->card;
  EXPECT_EQ(file.id, "rtx-4090-24gb");
  EXPECT_EQ(card.context, file.context_memory + file.launch_memory);
  EXPECT_EQ(card.device_median.count, 5ull * 1024 * 1024 * 1024 + card.context.count);
  EXPECT_EQ(card.device_upper.count, 6ull * 1024 * 1024 * 1024 + card.context.count);
}

TEST_F(PredictAnswerTest, It_fits_by_the_bound_and_fails_by_the_median) {
  EXPECT_EQ(verdict(5 * kGib, 6 * kGib), Answer::fits);
  EXPECT_EQ(verdict(20 * kGib, 25 * kGib), Answer::tight);
  EXPECT_EQ(verdict(25 * kGib, 30 * kGib), Answer::does_not_fit);
}

TEST_F(PredictAnswerTest, What_a_card_may_take_beyond_its_estimate_makes_a_fit_tight) {
  const auto& card = (*cards_.find("rtx-4090"))->card;
  const auto room = static_cast<double>((card.total_memory - card.context_memory - card.launch_memory).count);
  const auto spread = static_cast<double>(card.context_spread.count);
  EXPECT_EQ(verdict(kGib, room - spread), Answer::fits);
  EXPECT_EQ(verdict(kGib, room - spread + 1), Answer::tight);
}

TEST_F(PredictAnswerTest, The_model_is_asked_with_the_chip_of_each_card) {
  std::vector<std::pair<double, double>> asked;
  const auto predict = [&](const predictor::JobDescription& job, double coverage) {
    asked.emplace_back(job.multiprocessors, job.compute_capability);
    return always(kGib, kGib)(job, coverage);
  };
  const auto answered = answer(predict, {"rtx-4090", "a100-40gb", "4090"});
  ASSERT_TRUE(answered) << answered.error().what;
  EXPECT_EQ(asked, (std::vector<std::pair<double, double>>{{128, 8.9}, {108, 8.0}}))
      << "a card that is named twice once";
}

TEST_F(PredictAnswerTest, Operations_are_those_of_a_whole_step) {
  EXPECT_EQ(answer(always(kGib, kGib))->flops, 64 * 24e9);
}

TEST_F(PredictAnswerTest, Without_a_card_or_with_an_unknown_one_there_is_no_answer) {
  EXPECT_EQ(answer(always(1, 1), {}).error().what, "the job has no card");
  EXPECT_EQ(answer(always(1, 1), {"rtx-9999-super"}).error().what, "there is no card 'rtx-9999-super'");
}

TEST_F(PredictAnswerTest, A_model_that_refuses_or_gives_no_number_gives_no_answer) {
  const auto refuse = [](const predictor::JobDescription&, double) -> Result<predictor::Prediction> {
    return Error{"too little is known", ""};
  };
  EXPECT_EQ(answer(refuse).error().what, "too little is known");
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(answer(always(nan, kGib)).error().what, "the model gives no sensible number for this job");
  EXPECT_EQ(answer(always(kGib, 1e30)).error().what, "the model gives no sensible number for this job");
  EXPECT_EQ(answer(always(-5, kGib)).error().what, "the model gives no sensible number for this job");
}

TEST_F(PredictAnswerTest, The_exit_code_is_that_of_a_run) {
  EXPECT_EQ(exit_code(*answer(always(5 * kGib, 6 * kGib)), false), 0);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 25 * kGib)), false), 0);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 25 * kGib)), true), 3);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 21 * kGib), {"a100-80gb", "rtx-3060-12gb"}), false), 3);
}

TEST_F(PredictAnswerTest, Doubts_are_noted) {
  EXPECT_TRUE(notes_of(*answer(always(kGib, kGib))).empty());
  EXPECT_EQ(
      notes_of(*answer(always(kGib, kGib), {"rtx-4090"}, 448)),
      (std::vector<std::string>{"the model is known at size 224 and was scaled from there by area: less certain"}));
  EXPECT_EQ(notes_of(*answer(always(kGib, kGib, false))),
            (std::vector<std::string>{
                "the job is unlike those learned from, and the bound is widened: dryfit run gives an exact answer"}));
}

TEST_F(PredictAnswerTest, Step_times_are_those_of_the_card_that_is_asked_for) {
  std::vector<std::string> asked;
  const auto answered = timed([&](const predictor::JobDescription& job, const Card& card, double coverage) {
    asked.push_back(card.id);
    return testing::always_half_a_second()(job, card, coverage);
  });
  EXPECT_EQ(asked, (std::vector<std::string>{"rtx-4090-24gb"}));
  ASSERT_TRUE(answered.cards[0].compute);
  EXPECT_EQ(answered.cards[0].compute->median_seconds, 0.5);
  EXPECT_TRUE(notes_of(answered).empty());
}

TEST_F(PredictAnswerTest, A_step_time_that_is_not_known_is_noted_and_the_rest_is_answered) {
  const auto answered =
      timed([](const predictor::JobDescription&, const Card&, double) -> Result<predictor::ComputePrediction> {
        return Error{"nobody counted", ""};
      });
  EXPECT_FALSE(answered.cards[0].compute);
  EXPECT_EQ(notes_of(answered), (std::vector<std::string>{"step time is not known: nobody counted"}));
}

TEST_F(PredictAnswerTest, Doubts_about_step_times_are_noted) {
  EXPECT_EQ(notes_of(timed(testing::always_half_a_second(false, false))),
            (std::vector<std::string>{"no step time of such a job was learned on some of the cards: scaled by their "
                                      "peak rates, the interval widened"}));
  EXPECT_EQ(
      notes_of(timed(testing::always_half_a_second(true, false))),
      (std::vector<std::string>{"the job is unlike those whose step times were learned, and the interval is widened"}));
}

}  // namespace
}  // namespace dryfit::cli
