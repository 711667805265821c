// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_physics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/check.h"
#include "predictor/nnls.h"

namespace dryfit::predictor {
namespace {

using enum BlockField;

constexpr double kSecondsPerLayer = 1e-5;  ///< some launches
constexpr double kForwardShare = 1.0 / 3;  ///< of a step without checkpointing
constexpr double kWeightPasses = 10;       ///< casts, forward, backward, gradients; with any optimizer

/// How often an optimizer of torch.optim reads or writes a parameter, its gradient or its state.
double passes_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 3;
    case Optimizer::momentum:
    case Optimizer::rmsprop:
    case Optimizer::adagrad:
      return 5;
    case Optimizer::adafactor:
      return 6;
    case Optimizer::adam:
    case Optimizer::adamw:
      return 7;
  }
  return 0;
}

double sum_of(std::span<const Block> blocks, BlockField field) {
  double sum = 0;
  for (const auto& block : blocks) sum += block[field];
  return sum;
}

bool has_groups(std::span<const Block> blocks) {
  return std::ranges::any_of(blocks, [](const Block& block) { return block[n_groupconv] + block[n_depthwise] > 0; });
}

double convolutions_of(const Block& block) {
  return block[n_conv] + block[n_pointwise] + block[n_groupconv] + block[n_depthwise];
}

/// Operations per second for a linear layer, or else a convolution.
double rate_of(const Step& step, bool linear) {
  const bool full = step.job.precision == Precision::fp32;
  return full && linear ? step.rates.fp32_flops : peak_flops(step.rates, step.job.precision);
}

double matrix_seconds(const Step& step, const Block& block) {
  const double all = block[n_linear] + convolutions_of(block);
  const double linear = all > 0 ? block[n_linear] / all : 1;
  return kFlopsPerMac * block[macs] * (linear / rate_of(step, true) + (1 - linear) / rate_of(step, false));
}

/// Multiply-adds of a block's grouped convolutions. The bytes of the largest are those of its input or its output,
/// whichever is larger, and the channels those of any layer of the block; the smaller result is closer.
double grouped_channels(const Block& block) {
  const double area = block[hw_group_dw] * block[hw_group_dw];
  if (block[n_groupconv] == 0 || area == 0) return 0;
  return std::min(block[max_channels], block[max_groupconv_bytes] / 4 / area);
}

double grouped_macs(const Block& block) {
  const double places = block[hw_group_dw] * block[hw_group_dw] * block[k_group_dw] * block[k_group_dw];
  return block[n_groupconv] * grouped_channels(block) * places * group_width(block);
}

double depthwise_bytes(const Block& block) {
  return block[n_depthwise] * block[max_depthwise_bytes] * block[k_group_dw] * block[k_group_dw];
}

double attention_flops(const ModelDescription& model) {
  if (has_groups(model.blocks)) return 0;
  return std::max(0.0, model.flops - kFlopsPerMac * sum_of(model.blocks, macs));
}

/// Per sample.
void add_layers(const Step& step, StepTerms& terms) {
  const auto& model = step.job.model;
  for (const auto& block : model.blocks) {
    terms[StepTerm::matrices] += matrix_seconds(step, block);
    terms[StepTerm::activations] += block[saved_bytes] / step.rates.bytes;
    terms[StepTerm::grouped] += kFlopsPerMac * grouped_macs(block) / rate_of(step, false);
    terms[StepTerm::depthwise] += depthwise_bytes(block) / step.rates.bytes;
  }
  terms[StepTerm::attention] = attention_flops(model) / rate_of(step, true);
}

void add_operations(const Step& step, StepTerms& terms) {
  const auto& model = step.job.model;
  terms[StepTerm::matrices] = model.flops / peak_flops(step.rates, step.job.precision);
  terms[StepTerm::activations] = model.flops / std::sqrt(model.parameters) / step.rates.bytes;
}

}  // namespace

std::string_view to_text(ComputeKnowledge knowledge) {
  return knowledge == ComputeKnowledge::layers ? "layers" : "operations";
}

Result<ComputeKnowledge> compute_knowledge_of(const JobDescription& job) {
  if (sum_of(job.model.blocks, macs) > 0) return ComputeKnowledge::layers;
  if (job.model.flops > 0) return ComputeKnowledge::operations;
  return Error{"the blocks and operations of the model '" + job.model.name + "' are both unknown",
               "Give its 'flops', or describe it with a small dry run (`dryfit harvest`)."};
}

StepTerms step_terms(const Step& step, ComputeKnowledge knowledge) {
  const auto& job = step.job;
  StepTerms terms;
  if (knowledge == ComputeKnowledge::layers) {
    add_layers(step, terms);
  } else {
    add_operations(step, terms);
  }
  const double bytes_share = job.precision == Precision::fp32 ? 1 : 0.5;
  terms[StepTerm::activations] *= bytes_share;
  terms[StepTerm::depthwise] *= bytes_share;
  const double samples = job.batch * (job.checkpointing ? 1 + kForwardShare : 1);
  for (auto& seconds : terms.seconds) seconds *= samples;
  if (knowledge == ComputeKnowledge::layers)
    terms[StepTerm::layers] = kSecondsPerLayer * weighty_layers(job.model.blocks);
  const double passes = kWeightPasses + passes_of(job.optimizer);
  const double parameter_bytes = job.model.parameter_bytes * (job.precision == Precision::bf16 ? 0.5 : 1);
  terms[StepTerm::parameters] = step.optimizer_share * passes * parameter_bytes / step.rates.bytes;
  return terms;
}

double needed_flops(const ModelDescription& model) {
  const double layers = kFlopsPerMac * sum_of(model.blocks, macs);
  return layers > 0 && (has_groups(model.blocks) || model.flops == 0) ? layers : model.flops;
}

double peak_flops(const PeakRates& rates, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return rates.tf32_flops;
    case Precision::fp16_amp:
      return rates.fp16_flops;
    case Precision::bf16_amp:
    case Precision::bf16:
      return rates.bf16_flops;
  }
  return 0;
}

double weighty_layers(std::span<const Block> blocks) {
  double layers = 0;
  for (const auto& block : blocks) layers += convolutions_of(block) + block[n_linear] + block[n_pool];
  return layers;
}

double group_width(const Block& block) { return grouped_channels(block) / std::max(1.0, block[max_groups]); }

double StepPhysics::seconds(const StepTerms& terms) const {
  return std::inner_product(weights.begin(), weights.end(), terms.seconds.begin(), 0.0);
}

Result<StepPhysics> fit_step_physics(std::span<const StepTerms> terms, std::span<const double> measured) {
  DRYFIT_CHECK(terms.size() == measured.size());
  std::vector<double> rows;
  for (const auto& row : terms) std::ranges::copy(row.seconds, std::back_inserter(rows));
  const auto weights = solve_relative_nnls(rows, measured, kStepTerms);
  if (std::ranges::all_of(weights, [](double weight) { return weight <= 0; })) {
    return Error{"cannot fit a roofline to " + std::to_string(terms.size()) + " steps", "Give more steps."};
  }
  StepPhysics physics;
  std::ranges::copy(weights, physics.weights.begin());
  return physics;
}

}  // namespace dryfit::predictor
