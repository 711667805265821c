// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "card/card.h"
#include "estimate/convolution_workspace.h"
#include "estimate/kernel.h"
#include "estimate/orchestrator.h"
#include "simulator/torch_version.h"

namespace dryfit::estimate {

/// The GPU and the PyTorch version that a profile is lowered to, and what a process on it has already.
struct Target {
  const Card& card;
  simulator::TorchVersion torch;
  const Workspaces* workspaces = nullptr;  ///< null: not known
  // Whether the forward and the backward thread already have their workspaces of cuBLAS and of cuBLASLt.
  bool workspace_of_thread[2] = {false, false};
  bool lt_workspace_of_thread[2] = {false, false};
  bool thread_multiplies[2] = {false, false};  ///< so that it has a handle of cuBLAS
};

/// Applies the differences between CUDA and the CPU: finds operators in the timeline whose kernels keep or need other
/// memory, and replaces their blocks by those that such a GPU has.
void lower(Context& context, Target& target);

/// Whether the operator's temporaries on the CPU are left out, whatever they are.
bool drops_temporaries(std::string_view name);

/// Rewrites one operator. True: everything below it is done too.
using Rule = bool (*)(Kernel& kernel, Target& target);

// The rules by family (lower_*.cpp).
bool lower_convolution(Kernel& kernel, Target& target);
bool lower_convolution_backward(Kernel& kernel, Target& target);
bool lower_batch_norm(Kernel& kernel, Target& target);
bool lower_batch_norm_backward(Kernel& kernel, Target& target);
bool lower_dropout(Kernel& kernel, Target& target);
bool lower_matrix_product(Kernel& kernel, Target& target);
bool lower_added_matrix_product(Kernel& kernel, Target& target);
bool lower_flash_attention(Kernel& kernel, Target& target);
bool lower_flash_attention_backward(Kernel& kernel, Target& target);
/// CUDA's kernel allocates its results and nothing else.
bool lower_plain(Kernel& kernel, Target& target);
/// The same, but its inputs are made contiguous first.
bool lower_contiguous(Kernel& kernel, Target& target);
bool lower_embedding_backward(Kernel& kernel, Target& target);
bool lower_reduction(Kernel& kernel, Target& target);
bool lower_norm(Kernel& kernel, Target& target);

/// The scratch memory of a reduction, for as long as its kernel runs.
void reduce(Kernel& kernel, const Input& tensor, std::vector<std::int64_t> over, const Target& target);

/// The steps of all optimizers, which work on lists of tensors on CUDA.
void lower_optimizers(Context& context, const Target& target);

}  // namespace dryfit::estimate
