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

/// What is known of a job's model beside its parameters, as far as its speed is concerned.
enum class ComputeKnowledge {
  operations,  ///< how many operations a sample takes
  layers,      ///< its blocks
};
inline constexpr std::array kAllComputeKnowledge{ComputeKnowledge::operations, ComputeKnowledge::layers};

/// "operations", "layers".
std::string_view to_text(ComputeKnowledge knowledge);

/// The best of what is known. An Error when nothing is.
Result<ComputeKnowledge> compute_knowledge_of(const JobDescription& job);

/// Floating-point operations of a training step for each multiply-add of its forward pass: two forward, four backward.
inline constexpr double kFlopsPerMac = 6;

/// A training step on a card. Refers to both, which must outlive it.
struct Step {
  const JobDescription& job;
  const PeakRates& rates;
  double optimizer_share = 1;  ///< of the optimizer's work: less where steps are accumulated or parameters shared out
};

/// What a step's time is made of, in the order of StepTerms.
enum class StepTerm : std::size_t { matrices, attention, activations, grouped, depthwise, layers, parameters };
inline constexpr std::size_t kStepTerms = 7;

struct StepTerms {
  std::array<double, kStepTerms> seconds{};

  double& operator[](StepTerm term) { return seconds[static_cast<std::size_t>(term)]; }
  double operator[](StepTerm term) const { return seconds[static_cast<std::size_t>(term)]; }
};

/// Note [Step time]
/// A step as a roofline sees it: what its parts would take if each did nothing but compute at the card's peak, or
/// nothing but move bytes at its bandwidth. Kernels run one after the other, so the parts add up; a fitted weight says
/// how often each is really paid.
///
///   matrices     6 operations for each multiply-add of convolutions and linear layers, at the peak of the precision
///   attention    what the model computes beyond them. Not known, and 0, where there are grouped convolutions: of their
///                backward pass PyTorch's FlopCounterMode counts the products of all groups
///   activations  the bytes that a forward pass keeps, once: norms, activations and sums do little but move them
///   grouped      of grouped convolutions the multiply-adds again: cuDNN is far from the peak with them
///   depthwise    of depthwise convolutions the bytes of their inputs, once for each place of the kernel
///   layers       0.01 ms for each layer with a kernel of its own: launches, and what a kernel needs to get going
///   parameters   the bytes that casts, gradients and the optimizer read and write
///
/// In fp32 PyTorch computes convolutions in TF32 and linear layers in fp32; which a block's multiply-adds are is told
/// by how many layers it has of each. In half precision half of the bytes are moved. With checkpointing a third of the
/// work on activations is done again.
///
/// Without blocks, operations / sqrt(parameters) stand in for the bytes of activations (of a linear layer that is its
/// output up to a factor), and what cannot be known is 0.
StepTerms step_terms(const Step& step, ComputeKnowledge knowledge);

/// Operations of one sample in a step that the model's layers ask for: those that were counted, or where grouped
/// convolutions make that count too large, and where nobody counted, 6 for each multiply-add. 0: not known.
double needed_flops(const ModelDescription& model);

/// What the card computes at most in that precision; of fp32 that is TF32.
double peak_flops(const PeakRates& rates, Precision precision);

/// Layers with weights or a window, of all blocks: those that a description by any library counts alike.
double weighty_layers(std::span<const Block> blocks);

/// Of a block's grouped convolutions: how many channels a group has; 0 without any.
double group_width(const Block& block);

/// What arithmetic says of a step; what trees learn is the ratio between the truth and this.
struct StepPhysics {
  std::array<double, kStepTerms> weights{};  ///< none is negative

  double seconds(const StepTerms& terms) const;
};

/// The weights with the least sum of squared relative errors; `measured` has a number above zero for each of the terms.
/// An Error when no weight above zero makes the error smaller.
Result<StepPhysics> fit_step_physics(std::span<const StepTerms> terms, std::span<const double> measured);

}  // namespace dryfit::predictor
