// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_physics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "predictor/nnls.h"
#include "predictor/probes.h"

namespace dryfit::predictor {
namespace {

using enum BlockField;

/// An optimizer in units of the parameters: its state, and what a step of torch.optim's foreach implementation
/// allocates in addition.
struct OptimizerCost {
  double state = 0;
  double step = 0;
};

OptimizerCost cost_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return {0, 0};
    case Optimizer::momentum:
      return {1, 0};
    case Optimizer::adam:
    case Optimizer::adamw:
      return {2, 1};
    case Optimizer::rmsprop:
    case Optimizer::adagrad:
      return {1, 1};
    case Optimizer::adafactor:
      return {0, 1};
  }
  return {};
}

bool is_autocast(Precision precision) { return precision == Precision::bf16_amp || precision == Precision::fp16_amp; }

/// A job in bytes of its own precision.
struct Sizes {
  double parameters = 0;
  double kept = 0;  ///< activations of a kept byte in fp32
  double stays = 0;
  double gradients = 0;
  double step = 0;  ///< gradients and the optimizer's step
};

Sizes sizes_of(const JobDescription& job) {
  const double share = job.precision == Precision::bf16 ? 0.5 : 1;
  const auto cost = cost_of(job.optimizer);
  Sizes sizes;
  sizes.parameters = share * job.model.parameter_bytes;
  sizes.kept = job.precision == Precision::fp32 ? 1 : 0.5;
  sizes.stays = (1 + cost.state) * sizes.parameters + share * job.model.buffer_bytes;
  sizes.gradients = sizes.parameters;
  sizes.step = (1 + cost.step) * sizes.parameters;
  return sizes;
}

double sum_of(const JobDescription& job, BlockField field) {
  double sum = 0;
  for (const auto& block : job.model.blocks) sum += block[field];
  return sum;
}

/// What the forward pass keeps behind its last block, per sample: the loss of a language model that computes its own.
double kept_behind_blocks(const JobDescription& job) {
  return std::max(0.0, job.model.forward_bytes - sum_of(job, saved_bytes));
}

/// Backward from the last block to the first: what is still kept, and the gradients that are already there. A block's
/// parameters are a share of all, since modules may share theirs.
double backward_peak(const JobDescription& job, const Sizes& sizes) {
  double kept = sum_of(job, saved_bytes);
  const double parameters = sum_of(job, param_bytes);
  const double bytes_per_kept = job.batch * sizes.kept;
  const double gradients_per_parameter = parameters > 0 ? sizes.gradients / parameters : 0;
  double gradients = 0;
  double peak = bytes_per_kept * kept + job.batch * kept_behind_blocks(job);
  for (auto block = job.model.blocks.rbegin(); block != job.model.blocks.rend(); ++block) {
    gradients += gradients_per_parameter * (*block)[param_bytes];
    peak = std::max(peak, bytes_per_kept * kept + gradients);
    kept -= (*block)[saved_bytes];
  }
  return peak;
}

double one_of_run(const Block& block) { return block[saved_bytes] / std::max(1.0, block[run]); }

/// The first and the last block, which we assume are not checkpointed, and the largest of the others, which is
/// recomputed.
double checkpointed_bytes(const JobDescription& job) {
  const auto& blocks = job.model.blocks;
  const double bytes = blocks.front()[saved_bytes] + (blocks.size() > 1 ? blocks.back()[saved_bytes] : 0);
  double largest = 0;
  for (std::size_t i = 1; i + 1 < blocks.size(); ++i) largest = std::max(largest, one_of_run(blocks[i]));
  return job.batch * (bytes + largest);
}

double handed_on_bytes(const JobDescription& job) {
  double bytes = 0;
  for (const auto& block : job.model.blocks) bytes += std::max(1.0, block[run]) * block[max_out_bytes];
  return job.batch * bytes;
}

double largest_output(const JobDescription& job) {
  double bytes = 0;
  for (const auto& block : job.model.blocks) bytes = std::max(bytes, block[max_out_bytes]);
  return job.batch * bytes;
}

/// What the backward pass holds on top of what stays, without checkpointing.
double backward_bytes(const JobDescription& job, Knowledge knowledge, const Sizes& sizes) {
  if (knowledge == Knowledge::layers) return backward_peak(job, sizes);
  const double kept =
      knowledge == Knowledge::totals ? job.model.forward_bytes : job.model.flops / std::sqrt(job.model.parameters);
  return job.batch * sizes.kept * kept + sizes.gradients / 2;
}

double checkpointed_backward_bytes(const JobDescription& job, Knowledge knowledge, const Sizes& sizes) {
  if (knowledge != Knowledge::layers) return backward_bytes(job, knowledge, sizes);
  return sizes.kept * checkpointed_bytes(job) + job.batch * kept_behind_blocks(job) + sizes.gradients / 2;
}

/// The terms in bytes, except the first two, from what is known about the model's passes.
std::array<double, kJobTerms> walked_bytes(const JobDescription& job, Knowledge knowledge) {
  const auto sizes = sizes_of(job);
  const bool autocast = is_autocast(job.precision);
  const bool layers = knowledge == Knowledge::layers;
  std::array<double, kJobTerms> bytes{};
  bytes[2] = sizes.stays;
  bytes[3] = sizes.step;
  if (job.checkpointing) {
    bytes[7] = std::max(sizes.step, checkpointed_backward_bytes(job, knowledge, sizes));
    bytes[8] = layers ? sizes.kept * handed_on_bytes(job) : 0;
  } else {
    bytes[4] = std::max(sizes.step, backward_bytes(job, knowledge, sizes));
    bytes[5] = autocast ? bytes[4] : 0;
    bytes[9] = layers && autocast ? job.batch * sum_of(job, saved_norm) / 2 : 0;
  }
  bytes[6] = layers ? job.batch * kept_behind_blocks(job) : 0;
  bytes[10] = autocast ? sizes.parameters / 2 : 0;
  bytes[11] = layers ? sizes.kept * largest_output(job) : 0;
  return bytes;
}

/// The same from the model's probes.
std::array<double, kJobTerms> probed_bytes(const JobDescription& job) {
  const auto sizes = sizes_of(job);
  const double state = cost_of(job.optimizer).state * sizes.parameters;
  std::array<double, kJobTerms> bytes{};
  bytes[2] = state;
  bytes[4] = std::max(probed_reserved_bytes(job), sizes.stays - state + sizes.step);
  return bytes;
}

}  // namespace

Result<Knowledge> knowledge_of(const JobDescription& job) {
  const auto& model = job.model;
  if (!model.blocks.empty()) return probes_of(job).empty() ? Knowledge::layers : Knowledge::probes;
  if (model.forward_bytes > 0) return Knowledge::totals;
  if (model.flops > 0) return Knowledge::outline;
  return Error{"the blocks, forward bytes and operations of the model '" + model.name + "' are all unknown",
               "Give its 'flops', or describe it with a small dry run (`dryfit harvest`)."};
}

std::string_view to_text(Knowledge knowledge) {
  switch (knowledge) {
    case Knowledge::outline:
      return "outline";
    case Knowledge::totals:
      return "totals";
    case Knowledge::layers:
      return "layers";
    case Knowledge::probes:
      return "probes";
  }
  return "";
}

std::array<double, kJobTerms> job_terms(const JobDescription& job, Knowledge knowledge) {
  auto bytes = knowledge == Knowledge::probes ? probed_bytes(job) : walked_bytes(job, knowledge);
  for (auto& value : bytes) value /= kMib;
  const bool linear = !reads_blocks(knowledge) || sum_of(job, n_linear) > 0;
  bytes[0] = linear ? 1 : 1.0 / 16;
  bytes[1] = linear && job.compute_capability >= 9 ? 1 : 0;
  return bytes;
}

double JobPhysics::estimate_mib(std::span<const double, kJobTerms> terms) const {
  return std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0);
}

Result<JobPhysics> fit_job_physics(std::span<const std::array<double, kJobTerms>> terms,
                                   std::span<const double> measured_mib) {
  DRYFIT_CHECK(terms.size() == measured_mib.size());
  std::vector<double> rows;
  for (const auto& row : terms) std::ranges::copy(row, std::back_inserter(rows));
  const auto weights = solve_relative_nnls(rows, measured_mib, kJobTerms);
  if (std::ranges::all_of(weights, [](double weight) { return weight <= 0; })) {
    return Error{"cannot fit the physics base to " + std::to_string(terms.size()) + " jobs",
                 "Collect more jobs with `dryfit harvest`."};
  }
  JobPhysics physics;
  std::ranges::copy(weights, physics.weights.begin());
  return physics;
}

}  // namespace dryfit::predictor
