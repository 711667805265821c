// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/mpt_steps.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "predictor/compute_physics.h"
#include "predictor/input_columns.h"

namespace dryfit::predictor {
namespace {

using enum BlockField;

struct Size {
  std::string_view name;
  double width;
  double layers;
};

constexpr std::array<Size, 9> kModelSizes{{{"125m", 768, 12},
                                           {"350m", 1024, 24},
                                           {"760m", 1536, 24},
                                           {"1b", 2048, 24},
                                           {"3b", 2560, 32},
                                           {"7b", 4096, 32},
                                           {"13b", 5120, 40},
                                           {"30b", 7168, 48},
                                           {"70b", 8192, 80}}};

constexpr std::array<std::pair<std::string_view, const char*>, 3> kCards{
    {{"a100_40gb", "a100-40gb"}, {"a100_80gb", "a100-80gb"}, {"h100_80gb", "h100-80gb"}}};

constexpr double kWords = 50368;
constexpr double kGpusOfOneNode = 8;
constexpr double kKeptPerWidth = 16;
constexpr double kBytes = 4;  ///< blocks are described in fp32

Block layers_block(const Size& size, double length) {
  const double tokens = size.layers * length;
  Block block;
  block[run] = size.layers;
  block[saved_bytes] = kBytes * kKeptPerWidth * size.width * tokens;
  block[max_out_bytes] = kBytes * 4 * size.width * length;
  block[param_bytes] = kBytes * 12 * size.width * size.width * size.layers;
  block[macs] = 12 * size.width * size.width * tokens;
  block[n_linear] = 4 * size.layers;
  block[n_norm] = 2 * size.layers;
  block[n_act] = size.layers;
  block[saved_norm] = kBytes * 2 * size.width * tokens;
  block[saved_act] = kBytes * 4 * size.width * tokens;
  return block;
}

/// Its weights are those of the embedding.
Block head_block(const Size& size, double length) {
  Block block;
  block[run] = 1;
  block[saved_bytes] = block[max_out_bytes] = kBytes * kWords * length;
  block[param_bytes] = kBytes * kWords * size.width;
  block[macs] = kWords * size.width * length;
  block[n_linear] = 1;
  return block;
}

/// The columns that describe a run.
struct Runs {
  std::vector<std::string> sizes, gpus, precisions, checkpointing;
  std::vector<double> lengths, counts, batches, accumulated, tokens_per_second, parameters;

  static Result<Runs> in(const Table& table) {
    Runs runs;
    const std::pair<const char*, std::vector<std::string>*> texts[] = {
        {"Model", &runs.sizes},
        {"GPU", &runs.gpus},
        {"Precision", &runs.precisions},
        {"Activation Checkpointing", &runs.checkpointing}};
    for (const auto& [name, column] : texts) {
      auto read = table.texts(name);
      if (!read) return read.error();
      *column = std::move(*read);
    }
    const std::pair<const char*, std::vector<double>*> numbers[] = {
        {"SeqLen (T)", &runs.lengths},     {"# GPUs", &runs.counts},
        {"MicroBatchSize", &runs.batches}, {"GradAccum", &runs.accumulated},
        {"NumParams", &runs.parameters},   {"Throughput (T/s/GPU)", &runs.tokens_per_second}};
    for (const auto& [name, column] : numbers) {
      auto read = positive_numbers(table, name);
      if (!read) return read.error();
      *column = std::move(*read);
    }
    return runs;
  }

  bool is_like_one_card(std::size_t row) const { return counts[row] == kGpusOfOneNode && precisions[row] != "amp_fp8"; }

  Result<ComputeExample> example(std::size_t row, std::size_t folds, const Catalogue& catalogue) const {
    auto model = mpt_model(sizes[row], lengths[row], parameters[row]);
    if (!model) return model.error();
    const auto card = std::ranges::find(kCards, gpus[row], &std::pair<std::string_view, const char*>::first);
    if (card == kCards.end()) {
      return Error{"the GPU '" + gpus[row] + "' is unknown", "Use a100_40gb, a100_80gb or h100_80gb."};
    }
    ComputeExample example;
    example.job.model = std::move(*model);
    example.job.batch = batches[row];
    example.job.precision = Precision::bf16_amp;
    example.job.checkpointing = checkpointing[row] == "True";
    if (auto status = put_on_card(example, catalogue, card->second); !status) return status.error();
    example.optimizer_share = 1 / (counts[row] * accumulated[row]);
    example.seconds = batches[row] * lengths[row] / tokens_per_second[row];
    example.group = "mpt-" + sizes[row];
    const auto place = std::ranges::find(kModelSizes, sizes[row], &Size::name) - kModelSizes.begin();
    example.fold = static_cast<std::size_t>(place) % folds;
    example.row = row;
    if (auto status = check(example.job); !status) return status.error();
    return example;
  }
};

}  // namespace

Result<ModelDescription> mpt_model(std::string_view name, double length, double parameters) {
  const auto size = std::ranges::find(kModelSizes, name, &Size::name);
  if (size == kModelSizes.end()) {
    return Error{"unknown MPT size '" + std::string(name) + "'", "Use a size from 125m to 70b."};
  }
  ModelDescription model{.source = "llm-foundry", .name = "mpt-" + std::string(name), .size = length};
  model.parameters = parameters;
  model.parameter_bytes = kBytes * parameters;
  model.blocks = {layers_block(*size, length), head_block(*size, length)};
  model.flops = 2 * kFlopsPerMac * size->layers * size->width * length * length;
  for (const auto& block : model.blocks) {
    model.flops += kFlopsPerMac * block[macs];
    model.forward_bytes += block[saved_bytes];
  }
  return model;
}

Result<std::vector<ComputeExample>> mpt_steps(const Table& table, std::size_t folds, const Catalogue& catalogue) {
  const auto runs = Runs::in(table);
  if (!runs) return runs.error();
  std::vector<ComputeExample> examples;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!runs->is_like_one_card(row)) continue;
    auto example = runs->example(row, folds, catalogue);
    if (!example) return Error{table.place(row) + ": " + example.error().what, example.error().hint};
    examples.push_back(std::move(*example));
  }
  return examples;
}

}  // namespace dryfit::predictor
