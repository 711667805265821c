// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "card/peak_rates.h"
#include "predictor/description.h"

namespace dryfit::predictor {

/// What is known about a job's model besides its parameters, as far as its speed is concerned.
enum class ComputeKnowledge {
  operations,  ///< how many operations a sample takes
  layers,      ///< its blocks
};
inline constexpr std::array kAllComputeKnowledge{ComputeKnowledge::operations, ComputeKnowledge::layers};

/// "operations", "layers".
std::string_view to_text(ComputeKnowledge knowledge);

/// The best knowledge there is. An Error if there is none.
Result<ComputeKnowledge> compute_knowledge_of(const JobDescription& job);

/// Floating-point operations of a training step for each multiply-add of its forward pass: two forward, four backward.
inline constexpr double kFlopsPerMac = 6;

/// A training step on a card. Refers to both, which must outlive it.
struct Step {
  const JobDescription& job;
  const PeakRates& rates;
  double optimizer_share = 1;  ///< of the optimizer's work: below 1 if steps are accumulated or parameters sharded
};

/// The parts of a step's time, in the order of StepTerms.
enum class StepTerm : std::size_t { matrices, attention, activations, grouped, depthwise, layers, parameters };
inline constexpr std::size_t kStepTerms = 7;

struct StepTerms {
  std::array<double, kStepTerms> seconds{};

  double& operator[](StepTerm term) { return seconds[static_cast<std::size_t>(term)]; }
  double operator[](StepTerm term) const { return seconds[static_cast<std::size_t>(term)]; }
};

/// Note [Step time]
/// A step as a roofline sees it: how long its parts would take if each only computed at the card's peak, or only moved
/// bytes at its bandwidth. Kernels run one after the other, so the parts add up; a fitted weight for each says how much
/// longer it really takes.
///
///   matrices     6 operations for each multiply-add of convolutions and linear layers, at the peak of the precision
///   attention    what the model computes beyond them. Unknown, and 0, with grouped convolutions: in their backward
///                pass PyTorch's FlopCounterMode counts the products of all groups
///   activations  the bytes that a forward pass keeps, once: norms, activations and sums do little but move them
///   grouped      the multiply-adds of grouped convolutions again: cuDNN is far from the peak with them
///   depthwise    the input bytes of depthwise convolutions, once for each position of the kernel
///   layers       0.01 ms for each layer with a kernel of its own: launches, and a kernel's ramp-up
///   parameters   the bytes that casts, gradients and the optimizer read and write
///
/// In fp32 PyTorch computes convolutions in TF32 and linear layers in fp32; a block's multiply-adds are split by how
/// many layers of each it has. In half precision half of the bytes are moved. With checkpointing a third of the work on
/// activations is repeated.
///
/// Without blocks, operations / sqrt(parameters) replaces the bytes of activations (for a linear layer that is its
/// output up to a factor), and what cannot be known is 0.
StepTerms step_terms(const Step& step, ComputeKnowledge knowledge);

/// Operations per sample in a step that the model's layers need: the counted ones; or 6 per multiply-add, where grouped
/// convolutions make that count too large or nothing was counted. 0: unknown.
double needed_flops(const ModelDescription& model);

/// The card's peak rate in that precision; for fp32 it is that of TF32.
double peak_flops(const PeakRates& rates, Precision precision);

/// Number of layers with weights or a window in all blocks: descriptions by different libraries agree on these.
double weighty_layers(std::span<const Block> blocks);

/// Channels per group in a block's grouped convolutions; 0 without any.
double group_width(const Block& block);

/// What arithmetic predicts for a step; trees learn the ratio between the truth and this.
struct StepPhysics {
  std::array<double, kStepTerms> weights{};  ///< none is negative

  double seconds(const StepTerms& terms) const;
};

/// The weights with the least sum of squared relative errors; `measured` has a number above zero per element of
/// `terms`. An Error if no weight above zero reduces the error.
Result<StepPhysics> fit_step_physics(std::span<const StepTerms> terms, std::span<const double> measured);

}  // namespace dryfit::predictor
