// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_row.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dryfit::cli {
namespace {

using namespace literals;
using Json = nlohmann::json;

const HarvestJob kRowJob{"torchvision", "resnet50", 8, 0, "adamw", "fp32", false, "a100-40gb"};

constexpr const char* kLayers =
    R"({"parameters": 10, "parameter_bytes": 40, "buffer_bytes": 4, "forward_bytes": 512, "complete": true,
        "layers": [{"name": "a", "kind": "Linear", "between_bytes": 64},
                   {"name": "act", "kind": "ReLU"}, {"name": "a", "kind": "Linear"}]})";

verdict::Verdict fitting() {
  verdict::Verdict v;
  v.answer = verdict::Answer::fits;
  v.device_used = true;
  v.steps = 3;
  v.capacity = 40_GiB;
  v.device_peak = 3_GiB;
  v.torch_peak_allocated = 2_GiB;
  v.software = {{"torch", "2.6.0"}};
  return v;
}

analysis::Compute counted() {
  return {
      {7, 7}, {{"addmm", "ResNet.a", 3}, {"bmm", "ResNet.block", 1}, {"mm", "ResNet.a", 2}, {"mm", "ResNet", 1}}, {}};
}

Json row(const Measured& measured, const analysis::Compute& compute) {
  return Json::parse(row_text(kRowJob, "the key", "0.2.0", measured, compute));
}

TEST(HarvestRow, The_description_is_what_the_job_is_given) {
  EXPECT_EQ(description_of(kRowJob),
            R"({"source":"torchvision","model":"resnet50","batch":8,"size":0,"optimizer":"adamw","precision":"fp32",)"
            R"("checkpointing":false,"card":"a100-40gb"})");
}

TEST(HarvestRow, Layers_get_the_work_of_their_module_once) {
  const auto json = row({fitting(), kLayers, ""}, counted());
  EXPECT_EQ(json["layers"][0]["flops"], 5);
  EXPECT_EQ(json["layers"][1]["flops"], 0);
  EXPECT_EQ(json["layers"][2]["flops"], 0);
  EXPECT_EQ(json["other_modules"].dump(), R"([{"flops":1,"name":""},{"flops":1,"name":"block"}])");
  EXPECT_EQ(json["compute"]["flops"], 7);
  EXPECT_EQ(json["layers"][0]["between_bytes"], 64);
  EXPECT_EQ(json["model"]["parameters"], 10);
  EXPECT_EQ(json["model"]["forward_bytes"], 512);
  EXPECT_EQ(json["layers_complete"], true);
  EXPECT_EQ(json["torch"]["peak_allocated_bytes"], (2_GiB).count);
  EXPECT_EQ(json["device"]["peak_bytes"], (3_GiB).count);
  EXPECT_EQ(json["verdict"], "fits");
  EXPECT_TRUE(json["oom"].is_null());
}

TEST(HarvestRow, A_job_that_failed_says_why_and_has_no_numbers) {
  verdict::Verdict failed;
  failed.reason = "the program failed";
  for (const char* layers : {"", "{", "[]", R"({"layers": 1})"}) {
    const auto json = row({failed, layers, "job: torchvision has no model resnet51"}, {});
    EXPECT_EQ(json["verdict"], "cannot-tell");
    EXPECT_EQ(json["failure"], "job: torchvision has no model resnet51");
    EXPECT_TRUE(json["compute"].is_null());
    EXPECT_TRUE(json["model"].is_null());
    EXPECT_TRUE(json["device"]["peak_bytes"].is_null());
    EXPECT_EQ(json["layers"].size(), 0u);
    EXPECT_EQ(json["layers_complete"], false);
  }
}

TEST(HarvestRow, A_job_that_does_not_fit_keeps_the_layers_it_reached) {
  auto verdict = fitting();
  verdict.answer = verdict::Answer::does_not_fit;
  verdict.oom = {512_MiB, 338_MiB, {1, "forward"}};
  const Measured measured{verdict, R"({"complete": false, "layers": [{"name": "a"}]})", ""};
  const auto json = row(measured, {});
  EXPECT_EQ(json["verdict"], "does-not-fit");
  EXPECT_EQ(json["oom"]["phase"], "forward");
  EXPECT_TRUE(json["model"]["forward_bytes"].is_null());
  EXPECT_EQ(json["layers"].size(), 1u);
  EXPECT_FALSE(json["layers"][0].contains("flops"));
  EXPECT_EQ(json["layers_complete"], false);
  EXPECT_EQ(row(measured, counted())["layers"][0]["flops"], 5);
}

TEST(HarvestRow, A_row_is_one_line) {
  EXPECT_EQ(row_text(kRowJob, "a\nb", "0.2.0", {fitting(), kLayers, "\xff\n"}, counted()).find('\n'),
            std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
