// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_answer.h"

#include <gtest/gtest.h>

#include <cmath>
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

  PredictAnswer corrected(const SiteCorrection& site, double median, double upper, const std::string& gpu) {
    return *answer_of(*question_of(resnet_on({gpu}), {&known_, {}}), cards_, always(median, upper), &site);
  }

  PredictAnswer timed(const PredictCompute& compute) {
    return *answer_of(*question_of(resnet_on({"rtx-4090"}), {&known_, {}}), cards_, always(kGib, kGib), nullptr,
                      compute);
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

TEST_F(PredictAnswerTest, The_model_gets_the_chip_of_each_card) {
  std::vector<std::pair<double, double>> requested;
  const auto predict = [&](const predictor::JobDescription& job, double coverage) {
    requested.emplace_back(job.multiprocessors, job.compute_capability);
    return always(kGib, kGib)(job, coverage);
  };
  const auto answered = answer(predict, {"rtx-4090", "a100-40gb", "4090"});
  ASSERT_TRUE(answered) << answered.error().what;
  EXPECT_EQ(requested, (std::vector<std::pair<double, double>>{{128, 8.9}, {108, 8.0}}))
      << "a card that is named twice once";
}

TEST_F(PredictAnswerTest, Operations_are_those_of_a_whole_step) {
  EXPECT_EQ(answer(always(kGib, kGib))->flops, 64 * 24e9);
}

TEST_F(PredictAnswerTest, Without_a_card_or_with_an_unknown_one_there_is_no_answer) {
  EXPECT_EQ(answer(always(1, 1), {}).error().what, "no GPU given");
  EXPECT_EQ(answer(always(1, 1), {"rtx-9999-super"}).error().what, "unknown GPU 'rtx-9999-super'");
}

TEST_F(PredictAnswerTest, A_model_that_refuses_or_gives_no_number_gives_no_answer) {
  const auto refuse = [](const predictor::JobDescription&, double) -> Result<predictor::Prediction> {
    return Error{"too little is known", ""};
  };
  EXPECT_EQ(answer(refuse).error().what, "too little is known");
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(answer(always(nan, kGib)).error().what, "the learned model gives no usable number for this job");
  EXPECT_EQ(answer(always(kGib, 1e30)).error().what, "the learned model gives no usable number for this job");
  EXPECT_EQ(answer(always(-5, kGib)).error().what, "the learned model gives no usable number for this job");
}

TEST_F(PredictAnswerTest, The_exit_code_is_that_of_a_run) {
  EXPECT_EQ(exit_code(*answer(always(5 * kGib, 6 * kGib)), false), 0);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 25 * kGib)), false), 0);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 25 * kGib)), true), 3);
  EXPECT_EQ(exit_code(*answer(always(20 * kGib, 21 * kGib), {"a100-80gb", "rtx-3060-12gb"}), false), 3);
}

TEST_F(PredictAnswerTest, A_sites_calibration_corrects_the_bound_and_not_the_median) {
  const auto calibration = testing::half_too_low();
  const double factor = std::exp(calibration.site.shift(0.95, {"rtx-4090-24gb", "resnet"}));
  const auto site = testing::site_with(calibration);
  const auto answered = corrected(site, 10 * kGib, 12 * kGib, "rtx-4090");
  const auto& card = answered.cards[0];
  EXPECT_EQ(card.prediction.median_bytes, 10 * kGib);
  EXPECT_EQ(card.model_upper_bytes, 12 * kGib);
  EXPECT_DOUBLE_EQ(card.bound_factor, factor);
  EXPECT_DOUBLE_EQ(card.prediction.upper_bytes, 12 * kGib * factor);
  EXPECT_NEAR(static_cast<double>(card.device_upper.count),
              12 * kGib * factor + static_cast<double>(card.context.count), 1);
}

TEST_F(PredictAnswerTest, A_bound_is_not_lowered_below_the_median_and_one_below_it_stays) {
  auto calibration = testing::half_too_low();
  for (auto& [group, evidence] : calibration.site.groups) {
    for (auto& each : evidence) each.ratio = -3;
  }
  const auto site = testing::site_with(std::move(calibration));
  const auto lowered = corrected(site, 10 * kGib, 12 * kGib, "rtx-4090").cards[0];
  EXPECT_EQ(lowered.prediction.upper_bytes, 10 * kGib);
  EXPECT_DOUBLE_EQ(lowered.bound_factor, 10.0 / 12);
  auto question = *question_of(resnet_on({"rtx-4090"}), {&known_, {}});
  question.coverage = 0.3;
  EXPECT_EQ(answer_of(question, cards_, always(10 * kGib, 9 * kGib), &site)->cards[0].prediction.upper_bytes, 9 * kGib);
}

TEST_F(PredictAnswerTest, The_verdict_is_by_the_corrected_bound) {
  const auto site = testing::site_with(testing::half_too_low());
  EXPECT_EQ(verdict(10 * kGib, 18 * kGib), Answer::fits);
  EXPECT_EQ(corrected(site, 10 * kGib, 18 * kGib, "rtx-4090").cards[0].answer, Answer::tight);
}

TEST_F(PredictAnswerTest, What_a_calibration_does_is_noted_with_its_records_and_their_day) {
  const auto site = testing::site_with(testing::half_too_low());
  const auto notes = notes_of(corrected(site, 10 * kGib, 12 * kGib, "rtx-4090"));
  EXPECT_EQ(notes, (std::vector<std::string>{"rtx-4090-24gb: the model's bound of 12.00 GiB is raised by 50.0 % (200 "
                                             "records from this site, the last on 2026-11-02)"}));
}

TEST_F(PredictAnswerTest, A_calibration_that_does_not_apply_or_is_not_used_is_noted_too) {
  EXPECT_EQ(
      notes_of(corrected(testing::site_with({}), kGib, kGib, "rtx-4090")),
      (std::vector<std::string>{"the bounds are not changed by this site's calibration (0 records from this site)"}));
  const SiteCorrection damaged{.bounds = nullptr, .problem = "site.json: it is damaged. Write it again."};
  EXPECT_EQ(notes_of(corrected(damaged, kGib, kGib, "rtx-4090")),
            (std::vector<std::string>{"bounds are not corrected for this site: site.json: it is damaged. Write it "
                                      "again."}));
  EXPECT_TRUE(notes_of(corrected({}, kGib, kGib, "rtx-4090")).empty());
}

TEST_F(PredictAnswerTest, Doubts_are_noted) {
  EXPECT_TRUE(notes_of(*answer(always(kGib, kGib))).empty());
  EXPECT_EQ(notes_of(*answer(always(kGib, kGib), {"rtx-4090"}, 448)),
            (std::vector<std::string>{
                "the model is known at size 224 and was scaled from there by area, so the prediction is "
                "less certain and the bound wider"}));
  EXPECT_EQ(notes_of(*answer(always(kGib, kGib, false))),
            (std::vector<std::string>{
                "the job is unlike the training data, so the bound is wider; `dryfit run` gives an exact answer"}));
}

TEST_F(PredictAnswerTest, Step_times_are_those_of_the_requested_card) {
  std::vector<std::string> requested;
  const auto answered = timed([&](const predictor::JobDescription& job, const Card& card, double coverage) {
    requested.push_back(card.id);
    return testing::always_half_a_second()(job, card, coverage);
  });
  EXPECT_EQ(requested, (std::vector<std::string>{"rtx-4090-24gb"}));
  ASSERT_TRUE(answered.cards[0].compute);
  EXPECT_EQ(answered.cards[0].compute->median_seconds, 0.5);
  EXPECT_TRUE(notes_of(answered).empty());
}

TEST_F(PredictAnswerTest, An_unknown_step_time_is_noted_and_the_rest_is_answered) {
  const auto answered =
      timed([](const predictor::JobDescription&, const Card&, double) -> Result<predictor::ComputePrediction> {
        return Error{"nobody counted", ""};
      });
  EXPECT_FALSE(answered.cards[0].compute);
  EXPECT_EQ(notes_of(answered), (std::vector<std::string>{"step time is unknown: nobody counted"}));
}

TEST_F(PredictAnswerTest, Doubts_about_step_times_are_noted) {
  EXPECT_EQ(notes_of(timed(testing::always_half_a_second(false, false))),
            (std::vector<std::string>{"no step times of such jobs were measured on some of these GPUs; theirs are "
                                      "scaled by peak rate, with a wider interval"}));
  EXPECT_EQ(notes_of(timed(testing::always_half_a_second(true, false))),
            (std::vector<std::string>{"the job is unlike those with measured step times, so the interval is wider"}));
}

}  // namespace
}  // namespace dryfit::cli
