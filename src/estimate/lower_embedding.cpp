// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/element_size.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

/// torch `embedding_dense_backward_cuda`: up to this many indices, a kernel adds up without sorting.
constexpr std::uint64_t kMostUnsorted = 3072;

}  // namespace

/// Many indices are sorted, with their original places, and summed up in parts.
bool lower_embedding_backward(Kernel& kernel, Target&) {
  kernel.drop_temporaries();
  const auto* gradient = kernel.tensor(0);
  const auto* indices = kernel.tensor(1);
  if (!gradient || !indices || gradient->dims.empty()) return true;
  const auto count = element_count(indices->dims).value_or(0);
  if (count <= kMostUnsorted) return true;
  const auto index_bytes = count * element_size(indices->type).value_or(8);
  kernel.go_to_end();
  const auto sorted = kernel.alloc(Bytes{index_bytes});
  const auto original = kernel.alloc(Bytes{index_bytes});
  kernel.free(sorted);
  kernel.free(original);
  return true;
}

}  // namespace dryfit::estimate
