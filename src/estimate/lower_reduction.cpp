// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "card/attribute_numbers.h"
#include "estimate/element_size.h"
#include "estimate/lowering.h"
#include "estimate/reduction_scratch.h"

namespace dryfit::estimate {

void reduce(Kernel& kernel, const Input& tensor, std::vector<std::int64_t> over, const Target& target) {
  const auto scratch = reduction_scratch(
      {.dims = tensor.dims,
       .strides = tensor.strides,
       .over = std::move(over),
       .accumulator_size = std::max<std::uint64_t>(element_size(tensor.type).value_or(4), 4)},
      target.card.attribute(kMultiprocessorCount), target.card.attribute(kMaxThreadsPerMultiprocessor));
  if (scratch.partial.count == 0) return;
  const auto partial = kernel.alloc(scratch.partial);
  kernel.scratch(scratch.semaphores);
  kernel.free(partial);
}

namespace {

/// torch `gpu_reduce_kernel`: the result, then scratch memory while the kernel runs. Input number `over` lists the
/// dimensions, unless it is all of them.
bool reduce_first(Kernel& kernel, std::size_t over, const Target& target) {
  kernel.drop_temporaries();
  kernel.go_to_end();
  if (const auto* tensor = kernel.tensor(0)) reduce(kernel, *tensor, kernel.numbers(over), target);
  return true;
}

}  // namespace

bool lower_reduction(Kernel& kernel, Target& target) { return reduce_first(kernel, 1, target); }
bool lower_norm(Kernel& kernel, Target& target) { return reduce_first(kernel, 2, target); }

}  // namespace dryfit::estimate
