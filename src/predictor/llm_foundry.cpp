// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/llm_foundry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predictor/input_columns.h"

namespace dryfit::predictor {
namespace {

struct Gpu {
  std::string_view name;
  double peak_tflops;  ///< dense, 16 bits
  double memory_gb;
  double nvlink_gb_s;  ///< one direction
  double network_gb_s;
};

constexpr std::array<Gpu, 3> kGpus{
    {{"a100_40gb", 312, 40, 300, 25}, {"a100_80gb", 312, 80, 300, 25}, {"h100_80gb", 989.5, 80, 450, 50}}};
constexpr double kGpusPerNode = 8;
constexpr double kUsualUse = 0.6;
constexpr double kCommunicationCost = 0.05;
constexpr double kMostCommunication = 10;

constexpr std::array<InputColumn, 6> kSizeColumns{
    {{"NumParams"}, {"SeqLen (T)"}, {"# GPUs"}, {"MicroBatchSize"}, {"GradAccum"}, {"GlobalBatchSize"}}};

struct Flag {
  std::string_view column;
  std::string_view value;
};
constexpr std::array<Flag, 4> kFlags{{{"Precision", "amp_fp8"},
                                      {"MP Mode", "PURE"},
                                      {"Sharding Strategy", "SHARD_GRAD_OP"},
                                      {"Activation Checkpointing", "True"}}};
constexpr std::size_t kFp8Flag = 0;
constexpr std::size_t kCheckpointingFlag = 3;

struct Run {
  const Gpu* gpu = nullptr;
  double gpus = 0;
  double tokens = 0;  ///< per GPU and pass
  bool fp8 = false;
  bool checkpointing = false;
};

struct Physics {
  double base_tflops = 0;
  double communication = 0;  ///< over computation
};

Physics physics_of(const Run& run, Fp8 fp8) {
  const double faster = !run.fp8 ? 1 : fp8 == Fp8::datasheet ? 2 : 1.3;
  const double peak_tflops = run.gpu->peak_tflops * faster;
  const double gb_s = run.gpus <= kGpusPerNode ? run.gpu->nvlink_gb_s : run.gpu->network_gb_s;
  const double communication = peak_tflops * 1000 / (gb_s * run.tokens);
  const double again = run.checkpointing ? 1.0 / 3 : 0;
  const double waiting = kCommunicationCost * std::min(communication, kMostCommunication);
  return {kUsualUse * peak_tflops / (1 + again) / (1 + waiting), communication};
}

std::vector<std::string> all_names() {
  auto names = names_of(kSizeColumns);
  for (const auto& flag : kFlags) names.push_back(std::string(flag.column) + " = " + std::string(flag.value));
  for (const char* name : {"log peak", "log memory", "log base", "log tokens", "log communication"}) {
    names.emplace_back(name);
  }
  return names;
}

/// The columns of the table.
class MeasuredRuns {
 public:
  static Result<MeasuredRuns> of(const Table& table) {
    MeasuredRuns runs;
    auto sizes = inputs_in(table, kSizeColumns);
    if (!sizes) return sizes.error();
    auto achieved = positive_numbers(table, "Model TFLOP");
    if (!achieved) return achieved.error();
    auto models = table.texts("Model");
    if (!models) return models.error();
    for (const auto& flag : kFlags) {
      auto texts = table.texts(flag.column);
      if (!texts) return texts.error();
      auto& values = runs.flags_.emplace_back();
      for (const auto& text : *texts) values.push_back(text == flag.value ? 1 : 0);
    }
    if (auto status = runs.read_gpus(table); !status) return status.error();
    if (auto status = runs.read_tokens(table); !status) return status.error();
    runs.sizes_ = std::move(*sizes);
    runs.achieved_ = std::move(*achieved);
    runs.models_ = std::move(*models);
    return runs;
  }

  Physics physics(std::size_t row, Fp8 fp8) const {
    return physics_of({.gpu = gpus_[row],
                       .gpus = gpu_counts_[row],
                       .tokens = tokens_[row],
                       .fp8 = flags_[kFp8Flag][row] != 0,
                       .checkpointing = flags_[kCheckpointingFlag][row] != 0},
                      fp8);
  }

  Example example(std::size_t row, bool by_gpu, Fp8 fp8) const {
    auto features = sizes_[row];
    for (const auto& flag : flags_) features.push_back(flag[row]);
    const auto [base, communication] = physics(row, fp8);
    for (const double value : {gpus_[row]->peak_tflops, gpus_[row]->memory_gb, base, tokens_[row], communication}) {
      features.push_back(std::log(value));
    }
    return {row, by_gpu ? std::string(gpus_[row]->name) : models_[row], achieved_[row], std::move(features)};
  }

 private:
  Status read_gpus(const Table& table) {
    const auto names = table.texts("GPU");
    if (!names) return names.error();
    auto counts = positive_numbers(table, "# GPUs");
    if (!counts) return counts.error();
    gpu_counts_ = std::move(*counts);
    for (std::size_t row = 0; row < names->size(); ++row) {
      const auto gpu = std::ranges::find(kGpus, (*names)[row], &Gpu::name);
      if (gpu == kGpus.end()) {
        return Error{table.place(row) + ": the GPU '" + (*names)[row] + "' is unknown",
                     "Use a100_40gb, a100_80gb or h100_80gb."};
      }
      gpus_.push_back(&*gpu);
    }
    return {};
  }

  Status read_tokens(const Table& table) {
    const auto lengths = positive_numbers(table, "SeqLen (T)");
    if (!lengths) return lengths.error();
    const auto batches = positive_numbers(table, "MicroBatchSize");
    if (!batches) return batches.error();
    for (std::size_t row = 0; row < table.rows(); ++row) tokens_.push_back((*lengths)[row] * (*batches)[row]);
    return {};
  }

  std::vector<std::vector<double>> sizes_;  ///< by row
  std::vector<std::vector<double>> flags_;  ///< by flag
  std::vector<double> achieved_;
  std::vector<std::string> models_;
  std::vector<const Gpu*> gpus_;
  std::vector<double> gpu_counts_;
  std::vector<double> tokens_;
};

}  // namespace

Result<DataSet> llm_foundry_set(const Table& table, const Table& folds, std::string_view protocol, Fp8 fp8) {
  auto used = folds_of(folds, protocol, table.rows());
  if (!used) return used.error();
  const auto runs = MeasuredRuns::of(table);
  if (!runs) return runs.error();
  const bool by_gpu = kept_apart_by(protocol) == "gpu";
  DataSet data{.name = "llm-foundry",
               .title = "model TFLOPS per GPU of MPT training",
               .quantity = Quantity::compute(),
               .group_kind = by_gpu ? "GPUs" : "sizes",
               .feature_names = all_names()};
  std::vector<Example> examples;
  for (std::size_t row = 0; row < table.rows(); ++row) examples.push_back(runs->example(row, by_gpu, fp8));
  take_examples(data, std::move(*used), std::move(examples));
  const auto fit = [&](std::span<const std::size_t>) -> Result<std::vector<double>> {
    std::vector<double> base;
    for (const auto& example : data.examples) base.push_back(runs->physics(example.row, fp8).base_tflops);
    return base;
  };
  if (auto status = fit_bases(data, fit); !status) return status.error();
  return data;
}

}  // namespace dryfit::predictor
