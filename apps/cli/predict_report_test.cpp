// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "predict_testing.h"

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;

constexpr double kReportGib = 1024.0 * 1024 * 1024;

class PredictReportTest : public ::testing::Test {
 protected:
  PredictAnswer answer(double median, double upper, bool familiar = true) {
    auto question = *question_of(testing::resnet_on({"rtx-4090", "rtx-3060-12gb"}), {&known_, {}});
    question.id = "\"job 7\"";
    return *answer_of(std::move(question), cards_, testing::always(median, upper, familiar));
  }

  PredictAnswer timed() {
    const auto question = *question_of(testing::resnet_on({"rtx-4090"}), {&known_, {}});
    return *answer_of(question, cards_, testing::always(kReportGib, kReportGib), nullptr,
                      testing::always_half_a_second());
  }

  std::string line_;
  Catalogue catalogue_ = testing::card_catalogue();
  CardNames cards_{catalogue_};
  predictor::KnownModels known_ = testing::known_models();
  PredictModel model_{"/somewhere/jobs.dryfit-model",
                      {"jobs", "a \"harvest\" of 3000 jobs", "2026-11-16", "by model", "median 3 %", "Apache-2.0"}};
};

TEST_F(PredictReportTest, The_JSON_contains_everything) {
  const auto json = Json::parse(predict_json(answer(15 * kReportGib, 16 * kReportGib), model_json(model_)));
  EXPECT_EQ(json["id"], "job 7");
  EXPECT_EQ(json["job"]["model"], "resnet50");
  EXPECT_EQ(json["job"]["source"], "torchvision");
  EXPECT_EQ(json["job"]["batch"], 64);
  EXPECT_EQ(json["job"]["optimizer"], "adamw");
  EXPECT_EQ(json["job"]["precision"], "fp32");
  EXPECT_EQ(json["job"]["checkpointing"], false);
  EXPECT_EQ(json["coverage"], 0.95);
  EXPECT_EQ(json["flops"], 64 * 24'000'000'000ull);
  ASSERT_EQ(json["cards"].size(), 2u);
  const auto& card = json["cards"][0];
  EXPECT_EQ(card["card"], "rtx-4090-24gb");
  EXPECT_EQ(card["verdict"], "fits");
  EXPECT_EQ(card["median_bytes"], 15ull << 30);
  EXPECT_EQ(card["upper_bytes"], 16ull << 30);
  EXPECT_EQ(card["device_upper_bytes"], (16ull << 30) + card["context_bytes"].get<std::uint64_t>());
  EXPECT_EQ(card["familiar"], true);
  EXPECT_EQ(card["known_by"], "layers");
  EXPECT_EQ(card["distance"], 0.5);
  EXPECT_TRUE(card["step_seconds"].is_null());
  EXPECT_TRUE(card["achieved_tflops"].is_null());
  EXPECT_EQ(json["cards"][1]["verdict"], "does-not-fit");
  EXPECT_EQ(json["model_file"]["file"], "jobs.dryfit-model");
  EXPECT_EQ(json["model_file"]["data"], "a \"harvest\" of 3000 jobs");
  EXPECT_EQ(json["model_file"]["errors"], "median 3 %");
}

TEST_F(PredictReportTest, The_JSON_contains_the_correction_for_the_site) {
  const auto site = testing::site_with(testing::half_too_low());
  const auto question = *question_of(testing::resnet_on({"rtx-4090"}), {&known_, {}});
  const auto answered = *answer_of(question, cards_, testing::always(10 * kReportGib, 12 * kReportGib), &site);
  const auto json = Json::parse(predict_json(answered, "{}"));
  const auto& card = json["cards"][0];
  EXPECT_EQ(card["model_upper_bytes"], 12ull << 30);
  EXPECT_NEAR(card["upper_bytes"].get<double>(), 12 * kReportGib * card["bound_factor"].get<double>(), 1);
  EXPECT_GT(card["bound_factor"], 1.4);
  EXPECT_EQ(json["calibration"], Json::parse(R"({"file":"site.json","records":200,"last":"2026-11-02"})"));
  const auto plain = Json::parse(predict_json(answer(10 * kReportGib, 12 * kReportGib), "{}"));
  EXPECT_TRUE(plain["calibration"].is_null());
  EXPECT_EQ(plain["cards"][0]["bound_factor"], 1);
  EXPECT_EQ(plain["cards"][0]["model_upper_bytes"], plain["cards"][0]["upper_bytes"]);
}

TEST_F(PredictReportTest, Parts_of_a_byte_are_rounded_alike_everywhere) {
  const auto json = Json::parse(predict_json(answer(kReportGib + 0.6, kReportGib + 1.7), "{}"));
  const auto& card = json["cards"][0];
  const auto context = card["context_bytes"].get<std::uint64_t>();
  EXPECT_EQ(card["device_median_bytes"], card["median_bytes"].get<std::uint64_t>() + context);
  EXPECT_EQ(card["device_upper_bytes"], card["upper_bytes"].get<std::uint64_t>() + context);
}

TEST_F(PredictReportTest, Unknown_operations_are_null) {
  auto answered = answer(kReportGib, kReportGib);
  answered.flops = 0;
  EXPECT_TRUE(Json::parse(predict_json(answered, "{}"))["flops"].is_null());
}

TEST_F(PredictReportTest, An_error_names_its_line_and_its_id) {
  const auto json = Json::parse(predict_error_json({"the job has no 'batch'", "Give one."}, 3, "\"x\""));
  EXPECT_EQ(json, Json::parse(R"({"line": 3, "id": "x", "error": "the job has no 'batch'", "hint": "Give one."})"));
  EXPECT_FALSE(Json::parse(predict_error_json({"bad", ""}, 3, "")).contains("id"));
}

TEST_F(PredictReportTest, The_text_is_for_people) {
  const auto text =
      predict_text(answer(15 * kReportGib, 16 * kReportGib, false), model_, {.colour = false, .utf8 = false});
  for (const auto* part :
       {"does not fit on rtx-3060-12gb\n", "fits on rtx-4090-24gb\n",
        "torchvision/resnet50 at size 224, batch 64, adamw, fp32\n", "bound 95 %", "15.4", "step time: unknown\n",
        "operations per step: 1.54 TFLOP\n", "similar to the training data: no (distance 2.00)\n",
        "note: the job is unlike the training data",
        "memory predicted by jobs.dryfit-model (jobs, 2026-11-16); trained on a \"harvest\"\n  of 3000 jobs; errors: "
        "median 3 %"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

TEST_F(PredictReportTest, The_verdict_comes_first_and_failures_before_the_rest) {
  const auto ascii = report::Style{.colour = false, .utf8 = false};
  const auto several = predict_text(answer(15 * kReportGib, 16 * kReportGib), model_, ascii);
  EXPECT_LT(several.find("does not fit on rtx-3060-12gb\n"), several.find(" fits on rtx-4090-24gb\n"));
  EXPECT_LT(several.find(" fits on rtx-4090-24gb\n"), several.find("torchvision/resnet50"));
  const auto one = predict_text(timed(), model_, ascii);
  EXPECT_LT(one.find(" fits on rtx-4090-24gb: about 1.44 GiB of 23.64 GiB\n"), 10u) << one;
}

TEST_F(PredictReportTest, No_line_is_longer_than_80_columns) {
  model_.card.data = "a harvest of 3000 jobs in 78 families and 424 models and sizes, each described by dry runs";
  const auto text =
      predict_text(answer(15 * kReportGib, 16 * kReportGib, false), model_, {.colour = false, .utf8 = true});
  for (std::istringstream lines(text); std::getline(lines, line_);) EXPECT_LE(report::width(line_), 80u) << line_;
}

TEST_F(PredictReportTest, The_errors_shown_are_those_of_the_variant_that_answered) {
  model_.card.data = "a harvest of 3000 jobs; left out: 7";
  model_.card.errors =
      "outline: median error 20 %; the bound covers 99 %; more\nlayers: median error 6 %; covers 98 %; more";
  auto answered = answer(kReportGib, kReportGib);
  for (auto& card : answered.cards) card.prediction.knowledge = predictor::Knowledge::outline;
  const auto text = predict_text(answered, model_, {.colour = false, .utf8 = false});
  EXPECT_TRUE(
      text.ends_with("trained on a harvest\n  of 3000 jobs; errors: outline: median error 20 %; "
                     "the bound covers 99 %\n"))
      << text;
  for (auto& card : answered.cards) card.prediction.knowledge = predictor::Knowledge::layers;
  EXPECT_TRUE(predict_text(answered, model_, {}).ends_with("errors: layers: median error 6 %; covers 98 %\n"));
}

TEST_F(PredictReportTest, The_JSON_contains_step_times_and_their_model) {
  const auto json = Json::parse(predict_json(timed(), "{}", model_json(model_)));
  const auto& card = json["cards"][0];
  EXPECT_EQ(card["step_seconds"], 0.5);
  EXPECT_EQ(card["step_seconds_lower"], 0.25);
  EXPECT_EQ(card["step_seconds_upper"], 1);
  EXPECT_EQ(card["achieved_tflops"], 3);
  EXPECT_EQ(card["utilisation"], 0.125);
  EXPECT_EQ(card["step_familiar"], true);
  EXPECT_EQ(json["compute_model_file"]["file"], "jobs.dryfit-model");
  const auto without = Json::parse(predict_json(answer(kReportGib, kReportGib), "{}"));
  for (const auto* name : {"step_seconds", "step_seconds_lower", "achieved_tflops", "utilisation", "step_familiar"}) {
    EXPECT_TRUE(without["cards"][0][name].is_null()) << name;
  }
  EXPECT_TRUE(without["compute_model_file"].is_null());
}

TEST_F(PredictReportTest, The_text_contains_step_times_and_their_model) {
  PredictModel compute{"/somewhere/compute.dryfit-model", model_.card};
  compute.card.data = "published throughput; more";
  compute.card.errors = "operations: median error 20 %\nlayers: median error 9 %; holds 95 %; more";
  auto answered = timed();
  answered.question.job.model.blocks.clear();
  const auto text = predict_text(answered, model_, {.colour = false, .utf8 = false}, &compute);
  for (const auto* part : {"95 % interval", "500 ms", "250 ms - 1 s", "12 %",
                           "step time predicted by compute.dryfit-model (jobs, 2026-11-16); trained on\n"
                           "  published throughput; errors: operations: median error 20 %\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
  EXPECT_EQ(predict_text(answer(kReportGib, kReportGib), model_, {}, &compute).find("step time predicted by"),
            std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
