// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/element_size.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {

/// The CPU keeps a mask of the input's type that is scaled already; CUDA's fused kernel keeps one of booleans.
bool lower_dropout(Kernel& kernel, Target&) {
  if (kernel.context().profile.metadata.ran_native_dropout) return false;
  const auto* input = kernel.tensor(0);
  if (!input || kernel.outputs().size() != 2) return false;
  const auto element = element_size(input->type).value_or(1);
  kernel.drop_temporaries();
  const auto mask = kernel.outputs()[0];
  kernel.context().script.resize(mask, Bytes{kernel.size_of(mask).count / element});
  return true;
}

}  // namespace dryfit::estimate
