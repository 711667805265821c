// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/harvest_rows.h"

#include <gtest/gtest.h>

#include <sstream>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

const CardTable kCards{{"a", {28, 8.6}}, {"b", {132, 9.0}}};

/// What of a row the tests vary.
struct RowFields {
  std::string model = "resnet18";
  int batch = 8;
  std::string optimizer = "adamw";
  std::string precision = "fp32";
  bool checkpointing = false;
  std::string card = "a";
  std::string verdict = "fits";
  int retries = 0;
  int held = 4000;
  int peak = 5000;
};

std::string text_of(bool value) { return value ? "true" : "false"; }

std::string line_of(const RowFields& fields) {
  const auto key = fields.model + std::to_string(fields.batch) + fields.optimizer + fields.precision + fields.card +
                   text_of(fields.checkpointing);
  return R"({"key": ")" + key + R"(", "job": {"source": "torchvision", "model": ")" + fields.model + R"(", "batch": )" +
         std::to_string(fields.batch) + R"(, "size": 64, "optimizer": ")" + fields.optimizer + R"(", "precision": ")" +
         fields.precision + R"(", "checkpointing": )" + text_of(fields.checkpointing) + R"(, "card": ")" + fields.card +
         R"("}, "verdict": ")" + fields.verdict + R"(", "torch": {"alloc_retries": )" + std::to_string(fields.retries) +
         R"(}, "device": {"capacity_bytes": 9000, "context_bytes": 500, "peak_bytes": )" + std::to_string(fields.peak) +
         R"(}, "compute": {"flops": 800}, "model": {"parameters": 10, "parameter_bytes": 40, "buffer_bytes": 4, )" +
         R"("forward_bytes": 6000}, "layers": [{"name": "conv", "kind": "Conv2d", )" +
         R"("inputs": [[2, 3, 8, 8]], "outputs": [[2, 4, 8, 8]], "parameters": 10, "kernel_size": [3, 3], )" +
         R"("between_bytes": 0, "held_bytes": )" + std::to_string(fields.held) + R"(}], "layers_complete": true})";
}

ModelDescription model(std::string name) {
  return {.source = "torchvision",
          .name = std::move(name),
          .size = 64,
          .parameters = 10,
          .parameter_bytes = 40,
          .flops = 400,
          .forward_bytes = 3000,
          .blocks = {testing::sample_block(1)}};
}

Result<Harvest> read(const std::string& text, const std::vector<Probe>& probes = {}) {
  auto resnet = model("resnet18");
  resnet.probes = probes;
  const auto models = KnownModels::parse(to_json_lines({{resnet}, {model("vgg11")}}), "models.jsonl");
  std::istringstream stream(text);
  return read_harvest(stream, "rows.jsonl", kCards, *models);
}

Harvest harvest_of(const std::vector<RowFields>& rows, const std::vector<Probe>& probes = {}) {
  std::string text;
  for (const auto& fields : rows) text += line_of(fields) + "\n";
  const auto harvest = read(text, probes);
  EXPECT_TRUE(harvest) << harvest.error().what;
  return harvest ? *harvest : Harvest{};
}

TEST(HarvestRows, A_job_is_described_by_the_catalogue_and_never_by_its_own_row) {
  const auto harvest = harvest_of({{.batch = 16, .held = 70000}, {.batch = 2, .held = 4000}, {.model = "vgg11"}});
  EXPECT_EQ(harvest.models, 2u);
  ASSERT_EQ(harvest.examples.size(), 3u);
  for (const auto& example : harvest.examples) {
    EXPECT_EQ(example.job.model.blocks[0].values, testing::sample_block(1).values);
    EXPECT_DOUBLE_EQ(example.job.model.flops, 400);
  }
}

TEST(HarvestRows, Rows_that_describe_a_model_and_rows_that_were_not_probed_are_not_examples) {
  const auto harvest =
      harvest_of({{.batch = 2, .optimizer = "sgd", .card = "a"},
                  {.batch = 2, .optimizer = "adamw"},
                  {.batch = 4, .optimizer = "sgd"},
                  {.batch = 2, .optimizer = "sgd", .precision = "bf16"},
                  {.batch = 2, .optimizer = "sgd", .checkpointing = true}},
                 {{Precision::fp32, false, 2, 5000, 600, 9}, {Precision::bf16, false, 8, 5000, 600, 9}});
  ASSERT_EQ(harvest.examples.size(), 3u);
  EXPECT_EQ(harvest.examples[0].line, 2u);
  EXPECT_EQ(harvest.examples[1].line, 3u);
  EXPECT_EQ(harvest.examples[2].line, 4u);
  EXPECT_EQ(harvest.left_out, (std::map<std::string, std::size_t>{{"a probe", 1}, {"not of a probed kind", 1}}));
}

TEST(HarvestRows, A_row_is_a_question_and_its_answer) {
  const auto harvest = harvest_of({{.batch = 8, .precision = "bf16-amp", .checkpointing = true, .card = "b"}});
  ASSERT_EQ(harvest.examples.size(), 1u);
  const auto& example = harvest.examples[0];
  EXPECT_EQ(example.line, 1u);
  EXPECT_EQ(example.family, "resnet");
  EXPECT_EQ(example.job.batch, 8);
  EXPECT_EQ(example.job.optimizer, Optimizer::adamw);
  EXPECT_EQ(example.job.precision, Precision::bf16_amp);
  EXPECT_TRUE(example.job.checkpointing);
  EXPECT_EQ(example.job.multiprocessors, 132);
  EXPECT_EQ(example.job.compute_capability, 9);
  EXPECT_EQ(example.bytes, 4500);
  EXPECT_EQ(example.room_bytes, 8500);
  EXPECT_EQ(example.ending, Ending::fits);
  EXPECT_TRUE(check(example.job));
}

TEST(HarvestRows, A_job_that_failed_or_was_squeezed_is_kept_as_such) {
  const auto harvest = harvest_of(
      {{.batch = 4, .verdict = "does-not-fit"}, {.batch = 8, .verdict = "tight"}, {.batch = 16, .retries = 1}});
  ASSERT_EQ(harvest.examples.size(), 3u);
  EXPECT_EQ(harvest.examples[0].ending, Ending::does_not_fit);
  EXPECT_EQ(harvest.examples[1].ending, Ending::fits);
  EXPECT_EQ(harvest.examples[2].ending, Ending::squeezed);
}

TEST(HarvestRows, Unusable_rows_are_left_out_and_counted) {
  const auto harvest =
      harvest_of({{.batch = 8}, {.batch = 8}, {.batch = 4, .verdict = "cannot-tell"}, {.model = "vgg13"}});
  EXPECT_EQ(harvest.examples.size(), 1u);
  EXPECT_EQ(harvest.left_out, (std::map<std::string, std::size_t>{
                                  {"cannot tell", 1}, {"not in the catalogue of models", 1}, {"twice", 1}}));
}

TEST(HarvestRows, A_last_line_that_was_cut_off_is_left_out_and_any_other_is_an_error) {
  const auto line = line_of({.batch = 2});
  const auto cut = read(line + "\n" + line.substr(0, 40));
  ASSERT_TRUE(cut) << cut.error().what;
  EXPECT_EQ(cut->left_out, (std::map<std::string, std::size_t>{{"cut off", 1}}));
  EXPECT_EQ(read(line.substr(0, 40) + "\n" + line + "\n").error().what,
            "rows.jsonl:1: not a row written by dryfit harvest");
}

TEST(HarvestRows, An_unknown_card_and_a_peak_that_is_none_are_errors_with_their_place) {
  EXPECT_EQ(read(line_of({}) + "\n" + line_of({.card = "c"}) + "\n").error().what, "rows.jsonl:2: unknown GPU 'c'");
  EXPECT_EQ(read(line_of({.peak = 400}) + "\n").error().what,
            "rows.jsonl:1: the device's peak is not above its context");
  const auto models = KnownModels::parse(to_json_lines({{model("resnet18")}}), "models.jsonl");
  EXPECT_EQ(read_harvest("/nonexistent", kCards, *models).error().what, "/nonexistent: cannot be opened");
}

}  // namespace
}  // namespace dryfit::predictor
