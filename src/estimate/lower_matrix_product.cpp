// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/cublas_workspace.h"
#include "estimate/element_size.h"
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

/// How PyTorch gets the workspaces of cuBLAS and cuBLASLt.
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

/// torch `prepare_matrix_for_cublas`: rows or columns must be contiguous, or the matrix is copied. Nearly all matrices
/// are; an exception is the gradient of a sum, in which all elements are the same one.
bool is_fit_for_cublas(const Input& matrix) {
  const auto dimensions = matrix.dims.size();
  if (dimensions < 2 || matrix.strides.size() != dimensions) return true;
  const auto rows = matrix.dims[dimensions - 2], columns = matrix.dims[dimensions - 1];
  const auto row = matrix.strides[dimensions - 2], column = matrix.strides[dimensions - 1];
  const auto follow = [](auto inner, auto inner_size, auto outer, auto outer_size) {
    const bool inner_in_line = inner == 1 || inner_size <= 1;
    return inner_in_line && (outer >= std::max<std::int64_t>(inner_size, 1) || outer_size <= 1);
  };
  return follow(column, columns, row, rows) || follow(row, rows, column, columns);
}

/// Copies of those of the two matrices, from input number `first` on, that cuBLAS cannot use directly.
std::vector<std::uint32_t> copy_odd_matrices(Kernel& kernel, std::size_t first) {
  std::vector<std::uint32_t> copies;
  for (const auto index : {first, first + 1}) {
    const auto* matrix = kernel.tensor(index);
    const auto size = matrix ? tensor_size(*matrix) : std::nullopt;
    if (size && !is_fit_for_cublas(*matrix)) copies.push_back(kernel.alloc(*size));
  }
  return copies;
}

void use_cublaslt(Kernel& kernel, Target& target) {
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
}

template <class Use>
bool multiply(Kernel& kernel, Target& target, std::size_t first_matrix, Use use) {
  target.thread_multiplies[kernel.in_backward() ? 1 : 0] = true;
  kernel.drop_temporaries();
  kernel.go_to_end();
  const auto copies = copy_odd_matrices(kernel, first_matrix);
  use();
  for (const auto copy : copies) kernel.free(copy);
  return true;
}

}  // namespace

bool lower_matrix_product(Kernel& kernel, Target& target) {
  return multiply(kernel, target, 0, [&] { use_handle(kernel, target); });
}

bool lower_added_matrix_product(Kernel& kernel, Target& target) {
  return multiply(kernel, target, 1, [&] {
    if (goes_to_cublaslt(kernel)) {
      use_cublaslt(kernel, target);
    } else {
      use_handle(kernel, target);
    }
  });
}

}  // namespace dryfit::estimate
