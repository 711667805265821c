// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Runs dryfit-train on a table of 24 made-up rows, and on a harvest of 36.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "predictor/evaluation.h"
#include "predictor/harvested_job.h"
#include "predictor/job_predictor.h"
#include "predictor/known_models.h"
#include "predictor/model_file.h"

namespace dryfit::training {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string errors;
};

class Train : public ::testing::Test {
 protected:
  Train() : folder_(fs::temp_directory_path() / ("dryfit-train-test." + std::to_string(::getpid()))) {
    fs::create_directories(folder_ / "splits");
    write_tables();
  }
  ~Train() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  std::string read(const std::string& name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  Outcome run(const std::string& arguments) { return run_as_is("--data " + folder_.string() + " " + arguments); }

  Outcome run_as_is(const std::string& arguments) {
    const std::string command = std::string(DRYFIT_TRAIN) + " " + arguments;
    const int status = std::system((command + " 2> " + path("said")).c_str());
    return {WEXITSTATUS(status), read("said")};
  }

  std::string memory_table(const std::string& last_peak) const {
    std::string text = "model,batch_size,param_count_m,gmacs,macts_m,measured_max_gpu_mem_mib,faketensor_mib\n";
    for (int row = 0; row < 24; ++row) {
      const int batch = 2 << row % 3;
      const auto peak = row == 23 ? last_peak : std::to_string(600 + 100 * batch + 7 * row);
      text += "m" + std::to_string(row % 6) + "," + std::to_string(batch) + "," + std::to_string(5 + row % 6) +
              ",1,3," + peak + "," + std::to_string(80 * batch + row) + "\n";
    }
    return text;
  }

  fs::path folder_;

 private:
  void write_tables() {
    write("timm-train-memory.csv", memory_table("900"));
    std::string folds = "row,module5_s0\n";
    for (int row = 0; row < 24; ++row) folds += std::to_string(row) + "," + std::to_string(row % 2) + "\n";
    write("splits/timm-train-memory-ok.csv", folds);
    std::string sizes = "model,table_img,train_img\n";
    std::string modules = "model,module\n";
    std::string blocks = "model,img,token";
    for (std::size_t i = 0; i < predictor::kBlockFields; ++i) {
      blocks += "," + std::string(to_text(static_cast<predictor::BlockField>(i)));
    }
    blocks += "\n";
    for (int model = 0; model < 6; ++model) {
      const auto name = "m" + std::to_string(model);
      sizes += name + ",224,224\n";
      modules += name + ",module" + std::to_string(model % 3) + "\n";
      for (int token = 0; token <= model; ++token) {
        blocks += name + ",224," + std::to_string(token);
        for (std::size_t i = 0; i < predictor::kBlockFields; ++i) blocks += "," + std::to_string(i * (token + 1));
        blocks += "\n";
      }
    }
    write("splits/timm-train-size.csv", sizes);
    write("splits/timm-model-module.csv", modules);
    write("splits/timm-blocks16.csv", blocks);
  }
};

/// A row of a harvest: a made-up model of one convolution.
std::string harvest_row(const std::string& model, int batch, const std::string& optimizer) {
  const auto held = std::to_string(batch * 4000000);
  const auto peak = std::to_string(700000000 + batch * 9000000 + (optimizer == "adamw" ? 40000000 : 0));
  return R"({"key": ")" + model + std::to_string(batch) + optimizer +
         R"(", "job": {"source": "torchvision", "model": ")" + model + R"(", "batch": )" + std::to_string(batch) +
         R"(, "size": 64, "optimizer": ")" + optimizer +
         R"(", "precision": "fp32", "checkpointing": false, "card": "h100-80gb"}, "verdict": "fits", )" +
         R"("torch": {"alloc_retries": 0, "peak_reserved_bytes": )" + std::to_string(batch * 9000000 + 30000000) +
         R"(}, "device": {"capacity_bytes": 85028896768, "context_bytes": 632291328, )" + R"("peak_bytes": )" + peak +
         R"(}, "compute": {"flops": 8000000}, "model": {"parameters": 5000000, )" +
         R"("parameter_bytes": 20000000, "buffer_bytes": 0, "forward_bytes": )" + held +
         R"(}, "layers": [{"name": "conv", "kind": "Conv2d", "inputs": [[2, 3, 64, 64]], )" +
         R"("outputs": [[2, 4, 64, 64]], "parameters": 5000000, "kernel_size": [3, 3], "held_bytes": )" + held +
         R"(}], "layers_complete": true})" + "\n";
}

/// Six families, of each six jobs.
std::string harvest_text() {
  std::string text;
  for (const auto* model : {"alexnet", "densenet121", "resnet18", "squeezenet1_1", "vgg11", "vit_b_16"}) {
    text += harvest_row(model, 1, "sgd");
    for (const int batch : {2, 4, 8}) text += harvest_row(model, batch, "sgd");
    for (const int batch : {2, 4}) text += harvest_row(model, batch, "adamw");
  }
  return text;
}

/// Described by the smallest and the largest batch of each with SGD.
std::string models_text() {
  predictor::ModelCollector collector;
  std::istringstream rows(harvest_text());
  for (std::string row; std::getline(rows, row);) {
    const auto job = predictor::parse_harvested_job(row);
    if (job->batch == 1 || job->batch == 8) collector.add(*job, 9);
  }
  return predictor::to_json_lines(collector.models());
}

const std::string kQuick = " --seeds 0,1 --epochs 2 --batch 8 ";

TEST_F(Train, The_same_command_gives_the_same_predictions_to_the_byte) {
  const auto first = run(kQuick + "--out " + path("first.csv"));
  ASSERT_EQ(first.code, 0) << first.errors;
  ASSERT_EQ(run(kQuick + "--out " + path("second.csv")).code, 0);
  EXPECT_EQ(read("first.csv"), read("second.csv"));
  EXPECT_TRUE(
      read("first.csv").starts_with("row,sequence layers seed 0,sequence layers seed 1,sequence layers x2\n0,"));
  EXPECT_NE(first.errors.find("sequence layers seed 1, fold 2 of 2"), std::string::npos);
}

TEST_F(Train, The_predictions_can_be_scored) {
  ASSERT_EQ(run(kQuick + "--network flat --features plain --out " + path("p.csv")).code, 0);
  const auto table = predictor::read_table(path("p.csv"));
  ASSERT_TRUE(table);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < 24; ++row) rows.push_back(row);
  const auto contenders = predictor::contenders_in(*table, rows);
  ASSERT_TRUE(contenders) << contenders.error().what;
  EXPECT_EQ(contenders->size(), 3u);
}

TEST_F(Train, Into_a_folder_predictions_are_written_under_the_name_that_evaluate_looks_for) {
  fs::create_directory(folder_ / "networks");
  const auto outcome = run("--network trees --features plain --seeds 0,1 --out " + path("networks"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(read("networks/timm-memory-module5_s0-plain-trees.csv")
                  .starts_with("row,trees plain seed 0,trees plain seed 1,trees plain x2\n"));
}

TEST_F(Train, The_recipe_is_printed_without_training) {
  const auto command = std::string(DRYFIT_TRAIN) + " --data . --recipe --network trees > " + path("recipe");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(read("recipe").starts_with("trees; trees 700, leaves 31, rows in a leaf 10, rate 0.05"));
}

TEST_F(Train, The_same_command_gives_the_same_model_file_and_it_says_what_it_is) {
  ASSERT_EQ(run(kQuick + "--out " + path("p.csv")).code, 0);
  const auto all = kQuick + "--all-rows --errors " + path("p.csv") + " --date 2026-01-02 --licence Apache-2.0 --model ";
  const auto first = run(all + path("first.dryfit-model"));
  ASSERT_EQ(first.code, 0) << first.errors;
  ASSERT_EQ(run(all + path("second.dryfit-model")).code, 0);
  EXPECT_EQ(read("first.dryfit-model"), read("second.dryfit-model"));
  const auto model = predictor::read_model(path("first.dryfit-model"));
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_EQ(model->members.size(), 2u);
  EXPECT_EQ(model->card.date, "2026-01-02");
  EXPECT_EQ(model->card.name, "sequence layers x2");
  EXPECT_EQ(model->card.folds, "module5_s0, 2 folds; 'sequence layers x2', each job predicted without its fold");
  EXPECT_TRUE(predictor::MemoryPredictor::of(*model));
}

TEST_F(Train, Errors_of_another_network_are_not_put_on_a_models_card) {
  ASSERT_EQ(run(kQuick + "--network bigru --out " + path("p.csv")).code, 0);
  const auto outcome = run(kQuick + "--all-rows --errors " + path("p.csv") +
                           " --date 2026-01-02 --licence Apache-2.0 --model " + path("model"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("the predictions have no column 'sequence layers x2'"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("model")));
}

TEST_F(Train, Wrong_usage_is_reported_with_exit_code_2) {
  const auto out = " --out " + path("p.csv");
  EXPECT_EQ(run("--network lstm" + out).errors,
            "dryfit-train: unknown network 'lstm'\n"
            "  Use one of: sequence, bigru, transformer, flat, flat-bigru, flat-transformer, trees, paper1, paper2.\n");
  EXPECT_EQ(run("--network lstm" + out).code, 2);
  EXPECT_EQ(run("--set imagenet" + out).code, 2);
  EXPECT_EQ(run("--features all" + out).errors,
            "dryfit-train: the data set 'timm-memory' has no features 'all'\n  Use one of: layers, plain, dry-run.\n");
  EXPECT_EQ(run("--folds module5_s2" + out).code, 2);
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("--all-rows --date d --errors e --model " + path("m")).code, 2);
  EXPECT_EQ(run("--seeds 0,x" + out).code, 2);
  EXPECT_EQ(run("--seeds 1,2,1" + out).code, 2);
  EXPECT_EQ(run("--all-rows --network paper1 --date d --licence l --errors e --model " + path("m")).code, 2);
}

TEST_F(Train, A_missing_column_and_a_number_that_is_none_are_named_with_their_place) {
  const auto out = " --out " + path("p.csv");
  write("timm-train-memory.csv", memory_table("nan"));
  const auto none = run(out);
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.errors.find("timm-train-memory.csv:25: "), std::string::npos) << none.errors;
  auto without = memory_table("900");
  without.replace(without.find("gmacs"), 5, "other");
  write("timm-train-memory.csv", without);
  const auto missing = run(out);
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.errors.find("'gmacs'"), std::string::npos) << missing.errors;
}

TEST_F(Train, A_missing_folder_is_reported_before_any_training) {
  const auto outcome = run("--out " + path("nowhere/p.csv"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors,
            "dryfit-train: " + path("nowhere") + ": no such folder\n" + "  Create it, or write elsewhere.\n");
}

class TrainOnHarvest : public Train {
 protected:
  TrainOnHarvest() {
    write("rows.jsonl", harvest_text());
    write("models.jsonl", models_text());
  }

  Outcome run_quickly(const std::string& arguments) {
    return run_as_is("--harvest " + path("rows.jsonl") + " --models " + path("models.jsonl") + " --cards " +
                     DRYFIT_CARDS + " --seeds 0,1 --epochs 2 --batch 8 --trees 10 --folds 3 --coverage 0.8 " +
                     arguments);
  }
};

TEST_F(TrainOnHarvest, The_same_command_gives_the_same_predictions_and_the_same_model) {
  const auto both = [&](const std::string& name) {
    return run_quickly("--date 2026-01-02 --licence Apache-2.0 --out " + path(name + ".csv") + " --model " +
                       path(name + ".dryfit-model"));
  };
  const auto first = both("first");
  ASSERT_EQ(first.code, 0) << first.errors;
  ASSERT_EQ(both("second").code, 0);
  EXPECT_EQ(read("first.csv"), read("second.csv"));
  EXPECT_EQ(read("first.dryfit-model"), read("second.dryfit-model"));
  EXPECT_TRUE(read("first.csv").starts_with("line,family,fold,ending,room,measured,outline physics,"));
}

TEST_F(TrainOnHarvest, The_model_says_what_it_is_and_answers) {
  const auto outcome =
      run_quickly("--date 2026-01-02 --licence Apache-2.0 --members trees --model " + path("m.dryfit-model"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto predictor = predictor::JobPredictor::read(path("m.dryfit-model"));
  ASSERT_TRUE(predictor) << predictor.error().what;
  EXPECT_EQ(predictor->card().name, "surrogate, trees x2");
  EXPECT_EQ(predictor->card().date, "2026-01-02");
  EXPECT_NE(predictor->card().data.find("24 dry runs, 24 of which fit"), std::string::npos) << predictor->card().data;
  EXPECT_NE(predictor->card().data.find("6 models and sizes"), std::string::npos) << predictor->card().data;
  for (const auto* variant : {"outline", "totals", "layers", "probes"}) {
    EXPECT_NE(predictor->card().errors.find(std::string(variant) + ": median error"), std::string::npos) << variant;
  }
}

TEST_F(TrainOnHarvest, A_kept_model_is_judged_by_other_rows) {
  ASSERT_EQ(run_quickly("--model " + path("m.model") + " --date 2026-11-16 --licence none").code, 0);
  const auto outcome = run_quickly("--judge " + path("m.model") + " > " + path("judged"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(read("judged").find("known by probes: "), std::string::npos) << read("judged");
  EXPECT_NE(read("judged").find("median error "), std::string::npos) << read("judged");
  EXPECT_EQ(run_quickly("--judge " + path("m.model") + " --out " + path("o.csv")).code, 2);
  EXPECT_EQ(run_quickly("--judge /nonexistent").code, 1);
}

TEST_F(TrainOnHarvest, Errors_are_reported) {
  EXPECT_EQ(run_quickly("").code, 2);
  EXPECT_EQ(run_quickly("--model " + path("m")).code, 2);
  EXPECT_EQ(run_quickly("--members forest --out " + path("p.csv")).code, 2);
  const auto nowhere = run_quickly("--out " + path("nowhere/p.csv"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.errors.find("no such folder"), std::string::npos) << nowhere.errors;
  write("rows.jsonl", harvest_text() + "{}\n");
  const auto bad = run_quickly("--out " + path("p.csv"));
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.errors.find("rows.jsonl:37: "), std::string::npos) << bad.errors;
}

}  // namespace
}  // namespace dryfit::training
