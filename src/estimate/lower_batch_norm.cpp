// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

/// The largest first: it is the tensor; the others have one number per channel.
void alloc_in_order_of_size(Kernel& kernel) {
  auto outputs = kernel.outputs();
  std::ranges::stable_sort(outputs, std::ranges::greater{}, [&](auto block) { return kernel.size_of(block); });
  kernel.drop_temporaries();
  for (const auto block : outputs) kernel.alloc(block);
}

}  // namespace

/// cuDNN has no temporaries here; the CPU has some per channel.
bool lower_batch_norm(Kernel& kernel, Target&) {
  alloc_in_order_of_size(kernel);
  return true;
}

/// The CPU writes the gradient twice.
bool lower_batch_norm_backward(Kernel& kernel, Target&) {
  alloc_in_order_of_size(kernel);
  return true;
}

}  // namespace dryfit::estimate
