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

/// What is known about a job's model besides its parameters; each value includes more than the one before.
enum class Knowledge {
  outline,  ///< its operations
  totals,   ///< the growth of memory over its forward pass
  layers,   ///< its blocks
  probes,   ///< its blocks, and what dry runs of the job's kind reserved: Note [Probes]
};
inline constexpr std::array kAllKnowledge{Knowledge::outline, Knowledge::totals, Knowledge::layers, Knowledge::probes};

/// Whether the blocks are read.
constexpr bool reads_blocks(Knowledge knowledge) { return knowledge >= Knowledge::layers; }

/// The best knowledge there is. An Error if there is none.
Result<Knowledge> knowledge_of(const JobDescription& job);

/// "outline", "totals", "layers", "probes".
std::string_view to_text(Knowledge knowledge);

inline constexpr std::size_t kJobTerms = 12;

/// Note [Job physics]
/// The memory of a job with that precision, optimizer and model, in MiB, as far as arithmetic can tell. The base
/// estimate is the sum of these terms with fitted weights. Their order:
///
///    0  1 if there is a linear layer, for which cuBLAS is loaded, else 1/16: what any process takes
///    1  1 if there is a linear layer and the card has compute capability 9 or above: cuBLAS takes more there
///    2  what stays: parameters, buffers and the optimizer's state
///    3  gradients and what the optimizer's step allocates temporarily
///    4  the step's peak on top of what stays, without checkpointing
///    5  the same under autocast only: what it takes in addition to half of fp32's activations
///    6  what is kept behind the last block, once more: a loss makes copies of it in fp32
///    7  the step's peak on top of what stays, with checkpointing
///    8  with checkpointing: what blocks pass to each other
///    9  under autocast: what norms keep in fp32
///   10  under autocast: the parameters in half precision
///   11  the largest output of a layer, which backward needs in addition to what was kept
///
/// A step's peak on top of what stays is the larger of term 3 and of the maximum of activations plus gradients in the
/// backward pass: the last block's gradients exist while the first ones' activations are still there. With blocks, we
/// walk through it from the last to the first; without, all activations and half of the gradients replace it. Without
/// the forward pass's bytes, operations / sqrt(parameters) replaces activations: for a linear layer that is its output
/// up to a factor. What cannot be known is 0, and a linear layer is assumed.
///
/// In half precision half is kept, except behind the last block: there is the loss of a language model that computes
/// its own, and losses are computed in fp32.
///
/// With probes only four terms are not 0: 0 and 1; term 2, which is then the optimizer's state; and term 4, which is
/// what the probes predict as reserved, or parameters, buffers and term 3 if that is more.
std::array<double, kJobTerms> job_terms(const JobDescription& job, Knowledge knowledge);

/// What arithmetic predicts for a job; networks and trees learn the ratio between the truth and this.
struct JobPhysics {
  std::array<double, kJobTerms> weights{};  ///< none is negative

  double estimate_mib(std::span<const double, kJobTerms> terms) const;
};

/// The weights with the least sum of squared relative errors; `measured_mib` has a number above zero per row of terms.
/// An Error if no weight above zero reduces the error.
Result<JobPhysics> fit_job_physics(std::span<const std::array<double, kJobTerms>> terms,
                                   std::span<const double> measured_mib);

}  // namespace dryfit::predictor
