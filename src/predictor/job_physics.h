// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "predictor/description.h"

namespace dryfit::predictor {

/// What is known of a job's model beside its parameters; each tells more than the one before.
enum class Knowledge {
  outline,  ///< its operations
  totals,   ///< what its forward pass lets memory grow by
  layers,   ///< its blocks
  probes,   ///< its blocks, and what dry runs of the job's kind reserved: Note [Probes]
};
inline constexpr std::array kAllKnowledge{Knowledge::outline, Knowledge::totals, Knowledge::layers, Knowledge::probes};

/// Whether the blocks are read.
constexpr bool reads_blocks(Knowledge knowledge) { return knowledge >= Knowledge::layers; }

/// The best of what is known. An Error when nothing is.
Result<Knowledge> knowledge_of(const JobDescription& job);

/// "outline", "totals", "layers", "probes".
std::string_view to_text(Knowledge knowledge);

inline constexpr std::size_t kJobTerms = 12;

/// Note [Job physics]
/// What memory a job of that precision, optimizer and model takes, in MiB, as far as arithmetic knows it. A fitted
/// weight for each makes the base estimate. Their order:
///
///    0  1 where there is a linear layer, for which cuBLAS is loaded, else 1/16: what any process takes
///    1  1 where there is a linear layer and the card is of compute capability 9 or above: cuBLAS takes more there
///    2  what stays: parameters, buffers and the optimizer's state
///    3  gradients and what the optimizer's step makes for a moment
///    4  the step's peak beside what stays, without checkpointing
///    5  the same under autocast alone: what it takes more than half of fp32's activations
///    6  what is kept behind the last block, once more: a loss makes copies of it in fp32
///    7  the step's peak beside what stays, with checkpointing
///    8  with checkpointing: what blocks hand to each other
///    9  under autocast: what norms keep in fp32
///   10  under autocast: the parameters in half precision
///   11  the largest output of a layer, which backward needs beside what was kept
///
/// A step's peak beside what stays is the larger of term 3 and of the most that activations and gradients come to in
/// the backward pass: the last block's gradients are there while the first ones' activations still are. With blocks it
/// is walked through, from the last to the first; without, all activations and half of the gradients stand in for it.
/// Without the forward pass's bytes, operations / sqrt(parameters) stand in for activations: of a linear layer that is
/// its output up to a factor. What cannot be known is 0, and a linear layer is taken for granted.
///
/// In half precision half is kept, but not of what lies behind the last block: that is the loss of a language model
/// that computes its own, and losses are computed in fp32.
///
/// With probes only terms 0 and 1 and two others are not 0: in place of term 2 the optimizer's state, and in place of
/// term 4 what the probes say is reserved, or parameters, buffers and term 3 where that is more.
std::array<double, kJobTerms> job_terms(const JobDescription& job, Knowledge knowledge);

/// What arithmetic says of a job; what networks and trees learn is the ratio between the truth and this.
struct JobPhysics {
  std::array<double, kJobTerms> weights{};  ///< none is negative

  double estimate_mib(std::span<const double, kJobTerms> terms) const;
};

/// The weights with the least sum of squared relative errors; `measured_mib` has a number above zero per row of terms.
/// An Error when no weight above zero makes the error smaller.
Result<JobPhysics> fit_job_physics(std::span<const std::array<double, kJobTerms>> terms,
                                   std::span<const double> measured_mib);

}  // namespace dryfit::predictor
