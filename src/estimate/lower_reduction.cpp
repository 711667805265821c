// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "card/attribute_numbers.h"
#include "estimate/element_size.h"
#include "estimate/lowering.h"
#include "estimate/reduction_scratch.h"

namespace dryfit::estimate {

/// torch `gpu_reduce_kernel`: the result, then scratch memory while the kernel runs. Inputs: the tensor; the
/// dimensions, if not all.
bool lower_reduction(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto* tensor = kernel.tensor(0);
  if (!tensor) return true;
  const auto scratch = reduction_scratch(
      {.dims = tensor->dims,
       .strides = tensor->strides,
       .over = kernel.numbers(1),
       .accumulator_size = std::max<std::uint64_t>(element_size(tensor->type).value_or(4), 4)},
      target.card.attribute(kMultiprocessorCount), target.card.attribute(kMaxThreadsPerMultiprocessor));
  if (scratch.partial.count == 0) return true;
  kernel.go_to_end();
  const auto partial = kernel.alloc(scratch.partial);
  kernel.scratch(scratch.semaphores);
  kernel.free(partial);
  return true;
}

}  // namespace dryfit::estimate
