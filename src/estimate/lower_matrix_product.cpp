// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/cublas_workspace.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

using namespace literals;

constexpr Bytes kLtWorkspace = 1_MiB;  ///< torch `_getWorkspaceSize`

/// torch `getChosenWorkspaceSize`: 4096 KiB × 2 + 16 KiB × 8, and 4096 KiB × 8 on Hopper; since 2.12 on Blackwell too.
Bytes workspace_size(Kernel& kernel, const Target& target) {
  const auto& environment = kernel.context().profile.metadata.environment;
  if (const auto set = environment.find("CUBLAS_WORKSPACE_CONFIG"); set != environment.end()) {
    if (const auto configured = configured_workspace(set->second)) return *configured;
  }
  const int major = target.card.compute_capability.major;
  const bool is_large = major == 9 || (major >= 10 && target.torch.at_least(2, 12));
  return is_large ? 32_MiB : 8_MiB + 128_KiB;
}

/// How PyTorch comes by the workspaces of cuBLAS and cuBLASLt.
enum class Habit {
  lt_for_each_call,  ///< cuBLASLt: for each call; cuBLAS: one per thread, kept
  each_keeps_its_own,
  lt_shares,      ///< cuBLASLt has that of cuBLAS
  for_each_call,  ///< both
};

Habit habit_of(simulator::TorchVersion torch) {
  if (torch.at_least(2, 15)) return Habit::for_each_call;
  if (torch.at_least(2, 12)) return Habit::lt_shares;
  return torch.at_least(2, 9) ? Habit::each_keeps_its_own : Habit::lt_for_each_call;
}

/// Each thread's handle gets a workspace from the allocator when it is first used, and keeps it.
void use_handle(Kernel& kernel, Target& target) {
  kernel.go_to_end();
  const auto size = workspace_size(kernel, target);
  if (habit_of(target.torch) == Habit::for_each_call) return kernel.scratch(size);
  bool& has_workspace = target.workspace_of_thread[kernel.in_backward() ? 1 : 0];
  if (has_workspace) return;
  has_workspace = true;
  if (size.count > 0) kernel.alloc(size);
}

/// torch `addmm_out_cuda_impl`: cuBLASLt adds the bias where it is a vector and both matrices are more than one.
bool goes_to_cublaslt(const Kernel& kernel) {
  const auto* bias = kernel.tensor(0);
  const auto* right = kernel.tensor(2);
  return bias && right && bias->dims.size() == 1 && right->dims.size() == 2 && right->dims[0] > 1 &&
         right->dims[1] > 1 && bias->dims[0] == right->dims[1];
}

}  // namespace

bool lower_matrix_product(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  use_handle(kernel, target);
  return true;
}

bool lower_biased_matrix_product(Kernel& kernel, Target& target) {
  if (!goes_to_cublaslt(kernel)) return lower_matrix_product(kernel, target);
  kernel.drop_temporaries();
  kernel.go_to_end();
  switch (habit_of(target.torch)) {
    case Habit::for_each_call:
      kernel.scratch(kLtWorkspace);
      break;
    case Habit::lt_for_each_call: {
      const auto own = kernel.alloc(kLtWorkspace);
      use_handle(kernel, target);
      kernel.free(own);
      break;
    }
    case Habit::each_keeps_its_own: {
      use_handle(kernel, target);
      bool& has_own = target.lt_workspace_of_thread[kernel.in_backward() ? 1 : 0];
      if (!has_own) kernel.alloc(kLtWorkspace);
      has_own = true;
      break;
    }
    case Habit::lt_shares:
      use_handle(kernel, target);
      break;
  }
  return true;
}

}  // namespace dryfit::estimate
