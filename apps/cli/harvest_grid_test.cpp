// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "harvest_progress.h"

namespace dryfit::cli {
namespace {

const ModelCatalogue kModels{
    "2.6.0", {{"torchvision", {"alexnet", "resnet18", "resnet50", "wide_resnet50_2"}}, {"transformers", {"gpt2"}}}};

std::vector<HarvestJob> jobs_of(const std::string& toml) {
  const auto products = parse_grid(toml, false, "grid.toml");
  EXPECT_TRUE(products) << products.error().what;
  const auto jobs = expand(*products, kModels, true);
  EXPECT_TRUE(jobs) << jobs.error().what;
  return *jobs;
}

void expect_refused(const std::string& toml, const std::string& what) {
  const auto products = parse_grid(toml, false, "grid.toml");
  ASSERT_FALSE(products) << toml;
  EXPECT_NE(products.error().what.find(what), std::string::npos) << products.error().what;
  EXPECT_EQ(products.error().what.find("grid.toml"), 0u) << products.error().what;
}

const std::string kTable = "[[jobs]]\nsource = 'torchvision'\nmodel = 'resnet50'\nbatch = 8\ncard = 'x'\n";

TEST(HarvestGrid, Every_combination_is_one_job) {
  const auto jobs = jobs_of(
      "[[jobs]]\nsource = 'torchvision'\nmodel = ['resnet*']\nbatch = [1, 2, 4]\noptimizer = ['sgd', 'adamw']\n"
      "checkpointing = [true, false]\ncard = ['a', 'b']\n");
  EXPECT_EQ(jobs.size(), 2u * 3 * 2 * 2 * 2);
  EXPECT_TRUE(std::ranges::all_of(jobs, [](const auto& job) { return job.precision == "fp32" && job.size == 0; }));
}

TEST(HarvestGrid, A_sample_is_a_part_of_its_table_and_always_the_same) {
  const std::string whole = "[[jobs]]\nsource = 'torchvision'\nmodel = '*'\nbatch = [1, 2, 4, 8, 16, 32]\ncard = 'a'\n";
  const auto all = jobs_of(whole);
  const auto some = jobs_of(whole + "sample = 10\n");
  ASSERT_EQ(all.size(), 24u);
  EXPECT_EQ(some.size(), 10u);
  EXPECT_EQ(some, jobs_of(whole + "sample = 10\n"));
  for (const auto& job : some) EXPECT_NE(std::ranges::find(all, job), all.end());
  EXPECT_EQ(jobs_of(whole + "sample = 1000\n"), all);
}

TEST(HarvestGrid, Jobs_of_a_sample_are_spread_among_those_of_a_whole_table) {
  const auto jobs = jobs_of(
      "[[jobs]]\nsource = 'torchvision'\nmodel = '*'\nbatch = [1, 2, 4, 8, 16, 32, 64, 128]\ncard = ['a', 'b']\n"
      "[[jobs]]\nsource = 'transformers'\nmodel = 'gpt2'\nbatch = [1, 2, 3, 4, 5, 6, 7, 8]\nsize = [64, 128, 256, "
      "512]\n"
      "optimizer = ['sgd', 'adam', 'adamw']\nprecision = ['fp32', 'bf16']\ncard = ['a', 'b', 'c', 'd']\nsample = 64\n");
  ASSERT_EQ(jobs.size(), 128u);
  const auto sampled =
      std::count_if(jobs.begin(), jobs.begin() + 64, [](const auto& job) { return job.model == "gpt2"; });
  EXPECT_GT(sampled, 20);
  EXPECT_LT(sampled, 44);
}

TEST(HarvestGrid, The_same_job_in_two_tables_is_one) { EXPECT_EQ(jobs_of(kTable + kTable).size(), 1u); }

TEST(HarvestGrid, JSON_and_TOML_mean_the_same) {
  const auto json = parse_grid(R"({"jobs": [{"source": "torchvision", "model": "resnet50", "batch": 8, "card": "x"}]})",
                               true, "grid.json");
  ASSERT_TRUE(json);
  EXPECT_EQ(*expand(*json, kModels, true), jobs_of(kTable));
}

TEST(HarvestGrid, The_order_is_mixed_and_always_the_same) {
  const std::string toml =
      "[[jobs]]\nsource = 'torchvision'\nmodel = '*'\nbatch = [1, 2, 4, 8, 16, 32, 64, 128]\ncard = ['a', 'b']\n";
  const auto jobs = jobs_of(toml);
  EXPECT_EQ(jobs, jobs_of(toml));
  ASSERT_EQ(jobs.size(), 64u);
  for (const auto& model : kModels.sources.at("torchvision")) {
    EXPECT_NE(std::ranges::find(jobs.begin(), jobs.begin() + 32, model, &HarvestJob::model), jobs.begin() + 32);
  }
  EXPECT_FALSE(std::ranges::is_sorted(jobs));
}

TEST(HarvestGrid, An_error_names_its_place) {
  expect_refused("jobs = [", "grid.toml:1");
  expect_refused("", "the list 'jobs' is missing");
  expect_refused("other = 1\n" + kTable, "unknown key 'other'");
  expect_refused("jobs = []", "not a list of tables");
  expect_refused(kTable + "sample = 0\n", "job 1: 'sample' is not a whole number from 1");
  expect_refused(kTable + "sample = [1, 2]\n", "job 1: 'sample' is a list");
  expect_refused(kTable + "[[jobs]]\nsource = 'torchvision'\n", "job 2 has no 'model'");
  expect_refused(kTable + "optimiser = 'sgd'\n", "job 1 has an unknown key 'optimiser'");
  expect_refused(kTable + "optimizer = 'lion'\n", "unknown optimizer 'lion'; use one of sgd, momentum");
  expect_refused(kTable + "precision = []\n", "'precision' is empty");
  expect_refused(kTable + "size = -1\n", "'size' is not a whole number from 0");
  expect_refused(kTable + "checkpointing = 'yes'\n", "neither true nor false");
  expect_refused("[[jobs]]\nsource = 'torchvision'\nmodel = 'a'\nbatch = 0\ncard = 'x'\n", "from 1 to");
  EXPECT_FALSE(parse_grid("{", true, "grid.json"));
  EXPECT_FALSE(read_grid("/there/is/no/grid.toml"));
}

TEST(HarvestGrid, Missing_models_are_an_error_or_skipped) {
  JobProduct product{.source = "torchvision", .models = {"resnet50", "resnet51"}, .batches = {1}, .cards = {"x"}};
  EXPECT_FALSE(expand({product}, kModels, true));
  EXPECT_EQ(expand({product}, kModels, false)->size(), 1u);
  product.source = "timm";
  EXPECT_FALSE(expand({product}, kModels, true));
  EXPECT_TRUE(expand({product}, kModels, false)->empty());
}

TEST(HarvestGrid, The_built_in_grid_is_sound) {
  const auto path = std::string(DRYFIT_SOURCE_DIR) + "/python/dryfit/hooks/_dryfit_harvest/grid.toml";
  const auto products = read_grid(path);
  ASSERT_TRUE(products) << products.error().what;
  EXPECT_GT(expand(*products, kModels, false)->size(), 500u);
}

TEST(HarvestGrid, The_grid_of_the_first_data_set_is_sound) {
  const auto products = read_grid(std::string(DRYFIT_SOURCE_DIR) + "/data/harvest/first.toml");
  ASSERT_TRUE(products) << products.error().what;
  const auto jobs = *expand(*products, kModels, false);
  for (const auto& model : kModels.sources.at("torchvision")) {
    const HarvestJob reference{"torchvision", model, 2, 0, "sgd", "fp32", false, "h100-80gb"};
    EXPECT_NE(std::ranges::find(jobs, reference), jobs.end()) << model;
  }
}

TEST(HarvestGrid, Every_model_of_the_first_data_set_is_probed_with_two_batches_in_each_precision) {
  const auto products = read_grid(std::string(DRYFIT_SOURCE_DIR) + "/data/harvest/probes.toml");
  ASSERT_TRUE(products) << products.error().what;
  const auto jobs = *expand(*products, kModels, false);
  for (const auto& model : kModels.sources.at("torchvision")) {
    for (const auto* precision : {"fp32", "bf16-amp", "bf16"}) {
      for (const std::int64_t batch : {2, 32}) {
        const HarvestJob probe{"torchvision", model, batch, 0, "sgd", precision, false, "h200-141gb"};
        EXPECT_NE(std::ranges::find(jobs, probe), jobs.end()) << model << " " << precision << " " << batch;
      }
    }
  }
}

TEST(HarvestGrid, The_key_names_all_that_matters) {
  const HarvestJob job{"transformers", "gpt2", 4, 512, "adamw", "bf16", true, "a100-40gb"};
  EXPECT_EQ(key_of(job, "2.6.0"),
            "transformers/gpt2 size 512 batch 4 adamw bf16 checkpointing on a100-40gb, torch 2.6.0");
}

TEST(HarvestGrid, A_star_matches_any_text) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("res*50", "resnet50"));
  EXPECT_TRUE(matches("*net*", "resnet50"));
  EXPECT_FALSE(matches("resnet", "resnet50"));
  EXPECT_FALSE(matches("res*18", "resnet50"));
}

TEST(ModelCatalogue, A_nonsensical_answer_is_refused) {
  EXPECT_EQ(parse_catalogue(R"({"torch": "2.6.0", "sources": {"timm": ["a"]}})")->sources.at("timm").size(), 1u);
  EXPECT_FALSE(parse_catalogue(""));
  EXPECT_FALSE(parse_catalogue("[]"));
  EXPECT_FALSE(parse_catalogue(R"({"torch": "2.6.0", "sources": {"timm": [1]}})"));
  const auto without = parse_catalogue(R"({"torch": null, "sources": {}})");
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().what.find("PyTorch is not installed"), std::string::npos);
}

TEST(HarvestProgress, The_time_left_is_shown_once_a_job_has_ended) {
  EXPECT_EQ(harvest_progress_text({0, 10, 2, 5}), "dryfit: 0 of 10 jobs done, 2 running");
  EXPECT_EQ(harvest_progress_text({5, 10, 2, 60}), "dryfit: 5 of 10 jobs done, 2 running, about 60 s left");
  EXPECT_EQ(harvest_progress_text({10, 3000, 2, 25}), "dryfit: 10 of 3000 jobs done, 2 running, about 2 h left");
}

}  // namespace
}  // namespace dryfit::cli
