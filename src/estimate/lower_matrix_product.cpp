// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/cublas_workspace.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

using namespace literals;

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

/// Each thread's handle gets a workspace from the allocator when it is first used, and keeps it.
void use_handle(Kernel& kernel, Target& target) {
  bool& has_workspace = target.workspace_of_thread[kernel.in_backward() ? 1 : 0];
  if (has_workspace) return;
  has_workspace = true;
  kernel.go_to_end();
  if (const auto size = workspace_size(kernel, target); size.count > 0) kernel.alloc(size);
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
  kernel.drop_temporaries();
  kernel.go_to_end();
  // A workspace of its own for each call up to 2.8; later it has one that it keeps, and then shares that of cuBLAS.
  const bool has_own = !target.torch.at_least(2, 9) && goes_to_cublaslt(kernel);
  const auto own = has_own ? kernel.alloc(1_MiB) : 0;
  use_handle(kernel, target);
  if (has_own) kernel.free(own);
  return true;
}

}  // namespace dryfit::estimate
