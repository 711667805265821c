// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/probes.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/check.h"

namespace dryfit::predictor {
namespace {

std::span<const Probe> probes_of_kind(const ModelDescription& model, Precision precision, bool checkpointing) {
  const auto is_one = [&](const Probe& probe) {
    return probe.precision == precision && probe.checkpointing == checkpointing;
  };
  const auto first = std::ranges::find_if(model.probes, is_one);
  const auto last = std::find_if_not(first, model.probes.end(), is_one);
  return {first, last};
}

bool uses_cublas(const ModelDescription& model) {
  return std::ranges::any_of(model.blocks, [](const Block& block) { return block[BlockField::n_linear] > 0; });
}

double cublas_workspace(double compute_capability) { return compute_capability >= 9 ? 32 * kMib : 8.125 * kMib; }

/// What the probe would have reserved on the job's card.
double reserved_on_card_of(const JobDescription& job, const Probe& probe) {
  if (!uses_cublas(job.model)) return probe.reserved_bytes;
  const double more = cublas_workspace(probe.compute_capability) - cublas_workspace(job.compute_capability);
  return std::max(probe.reserved_bytes - more, probe.reserved_bytes / 2);
}

double stays(const JobDescription& job) { return stays_bytes(job.model, job.precision); }

/// Note [Probes]: what is reserved, and what is added with each sample.
struct Line {
  double first_batch = 0;
  double start = 0;  ///< reserved at first_batch
  double slope = 0;
  double forward = 0;  ///< f

  double at(double batch) const { return start + slope * (batch - first_batch); }
};

Line line_through(const JobDescription& job, std::span<const Probe> probes) {
  const auto& first = probes.front();
  const auto& last = probes.back();
  Line line{.first_batch = first.batch, .start = reserved_on_card_of(job, first)};
  if (last.batch > first.batch) {
    const double batches = last.batch - first.batch;
    line.slope = std::max(0.0, reserved_on_card_of(job, last) - line.start) / batches;
    line.forward = std::max(0.0, last.forward_bytes - first.forward_bytes) / batches;
  } else {
    line.slope = std::max(0.0, line.start - stays(job)) / first.batch;
    line.forward = first.forward_bytes / first.batch;
  }
  return line;
}

double reserved_at(const JobDescription& job, const Line& line) {
  return std::max({line.at(job.batch), stays(job) + line.forward * job.batch, line.start / 2});
}

}  // namespace

double stays_bytes(const ModelDescription& model, Precision precision) {
  const double share = precision == Precision::bf16 ? 0.5 : 1;
  return share * (model.parameter_bytes + model.buffer_bytes);
}

std::span<const Probe> probes_of(const JobDescription& job) {
  const auto own = probes_of_kind(job.model, job.precision, job.checkpointing);
  if (!own.empty()) return own;
  if (job.precision == Precision::fp16_amp) {
    return probes_of_kind(job.model, Precision::bf16_amp, job.checkpointing);
  }
  if (job.precision == Precision::bf16_amp) {
    return probes_of_kind(job.model, Precision::fp16_amp, job.checkpointing);
  }
  return {};
}

double probed_reserved_bytes(const JobDescription& job) {
  const auto probes = probes_of(job);
  DRYFIT_CHECK(!probes.empty());
  return reserved_at(job, line_through(job, probes));
}

std::array<double, kProbeFeatures> probe_features_of(const JobDescription& job) {
  const auto probes = probes_of(job);
  DRYFIT_CHECK(!probes.empty());
  const auto line = line_through(job, probes);
  const double reserved = reserved_at(job, line);
  const auto& last = probes.back();
  return {std::log(job.batch / probes.front().batch),
          std::log(job.batch / last.batch),
          line.slope * job.batch / reserved,
          line.forward * job.batch / reserved,
          stays(job) / reserved,
          last.reserved_bytes / (stays(job) + last.forward_bytes + kMib)};
}

}  // namespace dryfit::predictor
