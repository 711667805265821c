// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/harvested_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dryfit::predictor {
namespace {

using Json = nlohmann::json;

Json sample_row() {
  return Json::parse(R"({
    "key": "torchvision/tiny batch 2 adamw fp32 on rtx-3060-12gb, torch 2.6.0",
    "job": {"source": "torchvision", "model": "tiny", "batch": 2, "size": 0, "optimizer": "momentum",
            "precision": "fp32", "checkpointing": false, "card": "rtx-3060-12gb"},
    "software": {"torch": "2.6.0+cu124"}, "verdict": "fits",
    "torch": {"peak_reserved_bytes": 1000},
    "device": {"capacity_bytes": 9000, "peak_bytes": 1600, "context_bytes": 500, "libraries_bytes": 30, "code_bytes": 70},
    "compute": {"flops": 800},
    "model": {"parameters": 10, "parameter_bytes": 40, "buffer_bytes": 4, "forward_bytes": 9000},
    "layers": [{"name": "conv", "kind": "Conv2d", "inputs": [[2, 3, 32, 32]], "outputs": [[2, 4, 16, 16]],
                "parameters": 10, "kernel_size": [3, 3], "stride": [2, 2], "groups": 1, "between_bytes": 5,
                "held_bytes": 8192, "flops": 800},
               {"name": "pool", "kind": "MaxPool2d", "inputs": [[2, 4, 16, 16]], "outputs": [[2, 4, 8, 8]],
                "parameters": 0, "kernel_size": 2, "stride": 2, "held_bytes": 64}],
    "layers_complete": true})");
}

std::string problem_of_row(const Json& row) {
  const auto job = parse_harvested_job(row.dump());
  return job ? "" : job.error().what;
}

TEST(HarvestedJob, A_row_is_read) {
  const auto job = parse_harvested_job(sample_row().dump());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_EQ(job->model, "tiny");
  EXPECT_EQ(job->card, "rtx-3060-12gb");
  EXPECT_EQ(job->torch, "2.6.0+cu124");
  EXPECT_EQ(job->batch, 2);
  EXPECT_EQ(job->optimizer, Optimizer::momentum);
  EXPECT_EQ(job->reserved_bytes, 1000);
  EXPECT_EQ(job->libraries_bytes, 30);
  EXPECT_EQ(job->code_bytes, 70);
  EXPECT_EQ(job->peak_bytes, 1600);
  EXPECT_EQ(job->flops, 800);
  ASSERT_EQ(job->layers.size(), 2u);
  EXPECT_EQ(job->layers[0].kernel_size, (Shape{3, 3}));
  EXPECT_EQ(job->layers[0].between_bytes, 5);
  EXPECT_EQ(job->layers[1].kernel_size, (Shape{2}));
  EXPECT_EQ(job->layers[1].groups, 1);
}

TEST(HarvestedJob, What_a_job_did_not_reach_is_zero) {
  auto row = sample_row();
  row["compute"] = nullptr;
  row["model"]["forward_bytes"] = nullptr;
  row["torch"]["peak_reserved_bytes"] = nullptr;
  const auto job = parse_harvested_job(row.dump());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_EQ(job->flops, 0);
  EXPECT_EQ(job->forward_bytes, 0);
  EXPECT_EQ(job->reserved_bytes, 0);
}

TEST(HarvestedJob, A_row_with_something_wrong_is_refused_by_name) {
  EXPECT_EQ(parse_harvested_job("model,batch").error().what, "not a row written by dryfit harvest");
  auto row = sample_row();
  row["job"].erase("model");
  EXPECT_EQ(problem_of_row(row), "the row's job: 'model' is not a string");
  row = sample_row();
  row["job"]["batch"] = "two";
  EXPECT_EQ(problem_of_row(row), "the row's job: 'batch' is not a number");
  row = sample_row();
  row["job"]["batch"] = 0;
  EXPECT_EQ(problem_of_row(row), "the row's job has no batch");
  row = sample_row();
  row["job"]["precision"] = "int8";
  EXPECT_EQ(problem_of_row(row), "unknown precision 'int8'");
  row = sample_row();
  row["layers"][1]["outputs"] = {{2, "four"}};
  EXPECT_EQ(problem_of_row(row), "a layer of the row: 'outputs' is not a shape");
  row = sample_row();
  row["layers"] = 1;
  EXPECT_EQ(problem_of_row(row), "the row's 'layers' is not a list");
}

TEST(HarvestedJob, A_row_may_have_been_harvested_without_layers) {
  auto row = sample_row();
  row.erase("layers");
  const auto job = parse_harvested_job(row.dump());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_FALSE(is_reference(*job));
}

TEST(HarvestedJob, A_reference_is_seen_whole_in_fp32_and_without_checkpointing) {
  const auto is_reference_with = [](const char* part, const char* key, const Json& value) {
    auto row = sample_row();
    (*part == '\0' ? row : row[part])[key] = value;
    return is_reference(*parse_harvested_job(row.dump()));
  };
  EXPECT_TRUE(is_reference_with("job", "optimizer", "adamw"));
  EXPECT_FALSE(is_reference_with("job", "precision", "bf16-amp"));
  EXPECT_FALSE(is_reference_with("job", "checkpointing", true));
  EXPECT_FALSE(is_reference_with("", "layers_complete", false));
}

TEST(HarvestedJob, A_model_is_described_per_sample_at_the_size_of_its_input) {
  const auto model = describe(*parse_harvested_job(sample_row().dump()));
  EXPECT_EQ(model.source, "torchvision");
  EXPECT_EQ(model.name, "tiny");
  EXPECT_EQ(model.size, 32);
  EXPECT_EQ(model.parameter_bytes, 40);
  EXPECT_EQ(model.flops, 400);
  EXPECT_EQ(model.forward_bytes, 4500);
  ASSERT_EQ(model.blocks.size(), 2u);
  EXPECT_EQ(model.blocks[0][BlockField::k_conv], 3);
}

TEST(HarvestedJob, A_workspace_that_is_allocated_once_per_batch_is_not_counted_per_sample) {
  auto row = sample_row();
  row["layers"].push_back(Json::parse(R"({"name": "fc", "kind": "Linear", "inputs": [[2, 256]], "outputs": [[2, 10]],
                                          "parameters": 2570, "held_bytes": 8520192})"));
  row["model"]["forward_bytes"] = 9000 + 8520192;
  EXPECT_EQ(describe(*parse_harvested_job(row.dump())).forward_bytes, 4500 + 40);
}

TEST(HarvestedJob, The_size_of_a_sequence_is_its_length_unless_the_job_names_one) {
  auto row = sample_row();
  row["layers"][0]["inputs"] = {{2, 128}};
  EXPECT_EQ(describe(*parse_harvested_job(row.dump())).size, 128);
  row["job"]["size"] = 100;
  EXPECT_EQ(describe(*parse_harvested_job(row.dump())).size, 100);
}

}  // namespace
}  // namespace dryfit::predictor
