// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/known_models.h"

#include <gtest/gtest.h>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

using Field = BlockField;

KnownModel model(std::string source, std::string name, double size, bool image = true) {
  return {{.source = std::move(source),
           .name = std::move(name),
           .size = size,
           .parameters = 1000,
           .parameter_bytes = 4000,
           .buffer_bytes = 8,
           .flops = 600,
           .forward_bytes = 300,
           .blocks = {testing::sample_block(1)},
           .probes = {{Precision::fp32, false, 2, 5000, 600, 9}, {Precision::bf16, true, 32, 9000, 700, 8.6}}},
          image,
          false};
}

KnownModels catalogue(const std::vector<KnownModel>& models) {
  return std::move(KnownModels::parse(to_json_lines(models), "models.jsonl")).value();
}

std::string problem_of_catalogue(const std::string& text) {
  const auto models = KnownModels::parse(text, "models.jsonl");
  return models ? "" : models.error().what;
}

std::string heading() { return to_json_lines({}); }

HarvestedJob harvested(double batch, double size = 0) {
  return {.source = "torchvision",
          .model = "tiny",
          .batch = batch,
          .size = size,
          .optimizer = Optimizer::sgd,
          .verdict = "fits",
          .reserved_bytes = 1000 * batch,
          .flops = 100 * batch,
          .parameters = 10,
          .parameter_bytes = 40,
          .layers = {{.name = "fc",
                      .kind = "Linear",
                      .inputs = {{static_cast<std::int64_t>(batch), 3, 32, 32}},
                      .outputs = {{static_cast<std::int64_t>(batch), 8}},
                      .parameters = 10}},
          .layers_complete = true};
}

TEST(KnownModels, Are_read_as_they_are_written) {
  const auto written = to_json_lines({model("torchvision", "tiny", 224), model("transformers", "bert", 512, false)});
  const auto models = KnownModels::parse(written, "models.jsonl");
  ASSERT_TRUE(models) << models.error().what;
  EXPECT_EQ(to_json_lines(models->models()), written);
  EXPECT_EQ(models->models()[1].description.blocks[0].values, testing::sample_block(1).values);
  const auto& probe = models->models()[1].description.probes[1];
  EXPECT_EQ(probe.precision, Precision::bf16);
  EXPECT_TRUE(probe.checkpointing);
  EXPECT_EQ(probe.batch, 32);
  EXPECT_EQ(probe.reserved_bytes, 9000);
  EXPECT_EQ(probe.forward_bytes, 700);
  EXPECT_EQ(probe.compute_capability, 8.6);
  EXPECT_EQ(models->names(), (std::set<std::string>{"tiny", "torchvision/tiny", "bert", "transformers/bert"}));
}

TEST(KnownModels, A_file_that_is_something_else_newer_or_damaged_is_refused) {
  EXPECT_EQ(problem_of_catalogue("model,size\n"), "'models.jsonl' is not a catalogue of models");
  EXPECT_EQ(problem_of_catalogue(R"({"format": "dryfit models", "version": 3})"),
            "'models.jsonl' is a catalogue of version 3; this Dryfit reads up to 2");
  EXPECT_EQ(problem_of_catalogue(R"({"format": "dryfit models", "version": 1, "block": ["run"]})"),
            "'models.jsonl' describes blocks in a different layout from this Dryfit's");
  EXPECT_EQ(problem_of_catalogue(heading()), "'models.jsonl' contains no models");
  EXPECT_EQ(problem_of_catalogue(heading() + "{\"name\": "), "models.jsonl:2 is not a JSON object");
  EXPECT_EQ(problem_of_catalogue(heading() + R"({"name": "tiny", "parameters": "many"})"),
            "models.jsonl:2: 'parameters' is not a number");
  EXPECT_EQ(problem_of_catalogue(heading() + R"({"name": "tiny", "size": 224, "parameters": -1})"),
            "models.jsonl:2: the job's 'parameters' is -1");
  EXPECT_EQ(problem_of_catalogue(heading() + R"({"name": "tiny", "size": 224, "parameters": 1, "blocks": [[1, 2]]})"),
            "models.jsonl:2: a block is not a list of 25 numbers");
  const std::string tiny = R"({"name": "tiny", "size": 224, "parameters": 1, "probes": )";
  EXPECT_EQ(problem_of_catalogue(heading() + tiny + "[[1, 2]]}"),
            "models.jsonl:2: a probe is not a list of precision, checkpointing and four numbers");
  EXPECT_EQ(problem_of_catalogue(heading() + tiny + R"([["int4", false, 2, 5, 6, 9]]})"),
            "models.jsonl:2: unknown precision 'int4'");
  EXPECT_EQ(problem_of_catalogue(heading() + tiny + R"([["fp32", false, 2, -5, 6, 9]]})"),
            "models.jsonl:2: the job's 'probes: reserved_bytes' is -5");
  EXPECT_EQ(problem_of_catalogue(heading() + tiny + R"([["fp32", false, 2, 5, 6, 9], ["fp32", false, 2, 5, 6, 9]]})"),
            "models.jsonl:2: the job's 'probes' are out of order or contain a duplicate");
  EXPECT_EQ(problem_of_catalogue(heading() + R"({"size": 224, "parameters": 1})"),
            "models.jsonl:2: the model has no 'name'");
}

TEST(KnownModels, A_missing_file_says_how_to_get_one) {
  const auto models = KnownModels::read("/nowhere/models.jsonl");
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().what, "no catalogue of models at '/nowhere/models.jsonl'");
  EXPECT_NE(models.error().hint.find("dryfit models --from"), std::string::npos);
}

TEST(KnownModels, A_model_is_found_by_its_name_with_and_without_its_source) {
  const auto models = catalogue({model("torchvision", "tiny", 224)});
  for (const auto* name : {"tiny", "torchvision/tiny"}) {
    const auto found = models.find(name, 0);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->description.size, 224);
    EXPECT_FALSE(found->is_scaled());
  }
  EXPECT_EQ(models.find("timm/tiny", 0).error().what, "unknown model 'timm/tiny'");
}

TEST(KnownModels, A_name_that_several_sources_have_asks_for_one) {
  const auto models = catalogue({model("timm", "resnet50", 224), model("torchvision", "resnet50", 224)});
  const auto found = models.find("resnet50", 0);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "several sources have a model 'resnet50'");
  EXPECT_EQ(found.error().hint, "Use timm/resnet50 or torchvision/resnet50.");
  EXPECT_TRUE(models.find("timm/resnet50", 0));
}

TEST(KnownModels, Without_a_size_the_models_own_is_meant_else_the_usual_one) {
  auto own = model("torchvision", "tiny", 299);
  EXPECT_EQ(catalogue({model("torchvision", "tiny", 64), own}).find("tiny", 0)->description.size, 299)
      << "of 64 and 299 that is nearer to 224";
  auto small = model("torchvision", "tiny", 64);
  small.own_size = true;
  EXPECT_EQ(catalogue({small, own}).find("tiny", 0)->description.size, 64);
}

TEST(KnownModels, An_image_of_another_size_is_scaled_from_the_nearest_by_area) {
  const auto models = catalogue({model("torchvision", "tiny", 100), model("torchvision", "tiny", 1000)});
  const auto found = models.find("tiny", 200);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_scaled());
  EXPECT_EQ(found->known_size, 100);
  EXPECT_EQ(found->description.size, 200);
  EXPECT_EQ(found->description.flops, 2400);
  EXPECT_EQ(found->description.forward_bytes, 1200);
  EXPECT_EQ(found->description.parameters, 1000);
  const auto before = testing::sample_block(1);
  const auto& after = found->description.blocks[0];
  EXPECT_EQ(after[Field::saved_bytes], 4 * before[Field::saved_bytes]);
  EXPECT_EQ(after[Field::hw_group_dw], 2 * before[Field::hw_group_dw]);
  EXPECT_EQ(after[Field::param_bytes], before[Field::param_bytes]);
  EXPECT_EQ(after[Field::max_channels], before[Field::max_channels]);
  const auto& probes = found->description.probes;
  EXPECT_EQ(probes[0].reserved_bytes, 4008 + 4 * (5000 - 4008));
  EXPECT_EQ(probes[1].reserved_bytes, 2004 + 4 * (9000 - 2004)) << "half of the parameters in bf16";
  EXPECT_EQ(probes[1].forward_bytes, 2800);
}

TEST(KnownModels, A_sequence_of_another_length_is_scaled_by_it) {
  const auto models = catalogue({model("transformers", "bert", 128, false)});
  EXPECT_EQ(models.find("bert", 512)->description.flops, 2400);
}

TEST(KnownModels, A_model_can_be_described_with_little) {
  const auto described = parse_model(R"({"size": 224, "parameters": 10})", "the job's model");
  ASSERT_TRUE(described) << described.error().what;
  EXPECT_EQ(described->parameter_bytes, 40);
  EXPECT_TRUE(described->blocks.empty());
  EXPECT_EQ(parse_model(R"({"parameters": 10})", "the job's model").error().what,
            "the job's model: the job's 'size' is 0");
}

TEST(ModelCollector, Takes_the_smallest_batch_of_each_model_and_size) {
  ModelCollector collector;
  for (const double batch : {8, 2, 4}) collector.add(harvested(batch), 9);
  collector.add(harvested(2, 64), 9);
  const auto models = collector.models();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].description.size, 32);
  EXPECT_TRUE(models[0].own_size);
  EXPECT_TRUE(models[0].image);
  EXPECT_EQ(models[0].description.flops, 100);
  EXPECT_EQ(models[1].description.size, 64);
  EXPECT_FALSE(models[1].own_size);
}

TEST(ModelCollector, Prefers_a_row_with_counted_operations) {
  ModelCollector collector;
  auto uncounted = harvested(1);
  uncounted.flops = 0;
  collector.add(harvested(4), 9);
  collector.add(uncounted, 9);
  EXPECT_EQ(collector.models()[0].description.flops, 100);
}

TEST(ModelCollector, Takes_of_each_kind_the_smallest_and_the_largest_batch_with_plain_SGD_as_probes) {
  ModelCollector collector;
  for (const double batch : {8, 2, 32}) collector.add(harvested(batch), 9);
  auto other = harvested(4);
  other.precision = Precision::bf16_amp;
  collector.add(other, 8.6);
  for (const auto spoil :
       {+[](HarvestedJob& job) { job.optimizer = Optimizer::adamw; }, +[](HarvestedJob& job) { job.alloc_retries = 1; },
        +[](HarvestedJob& job) { job.verdict = "does-not-fit"; }}) {
    auto spoilt = harvested(64);
    spoil(spoilt);
    collector.add(spoilt, 9);
  }
  const auto probes = collector.models().at(0).description.probes;
  ASSERT_EQ(probes.size(), 3u);
  EXPECT_EQ(probes[0].batch, 2);
  EXPECT_EQ(probes[1].batch, 32);
  EXPECT_EQ(probes[1].reserved_bytes, 32000);
  EXPECT_EQ(probes[1].compute_capability, 9);
  EXPECT_EQ(probes[2].precision, Precision::bf16_amp);
  EXPECT_EQ(probes[2].compute_capability, 8.6);
}

TEST(ModelCollector, Leaves_out_rows_that_are_not_a_reference) {
  ModelCollector collector;
  auto cast = harvested(2);
  cast.precision = Precision::bf16_amp;
  collector.add(cast, 9);
  EXPECT_TRUE(collector.models().empty());
}

}  // namespace
}  // namespace dryfit::predictor
