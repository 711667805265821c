// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels.h"

#include <algorithm>

#include "base/check.h"
#include "predictor/kernels_by_processor.h"

namespace dryfit::predictor {

PackedLinear pack(std::span<const float> weight, std::span<const float> bias, std::size_t inputs) {
  DRYFIT_CHECK(inputs > 0 && weight.size() % inputs == 0);
  const std::size_t outputs = weight.size() / inputs;
  PackedLinear packed{.inputs = inputs, .outputs = (outputs + 15) / 16 * 16};
  packed.panels.resize(packed.outputs * inputs);
  packed.bias.resize(packed.outputs);
  std::ranges::copy(bias, packed.bias.begin());
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t input = 0; input < inputs; ++input) {
      packed.panels[(output / 16 * inputs + input) * 16 + output % 16] = weight[output * inputs + input];
    }
  }
  return packed;
}

const Kernels& plain_kernels() { return kPlainKernels; }

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> usable;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vl")) usable.push_back(&kAvx512Kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&kAvx2Kernels);
#endif
  usable.push_back(&kPlainKernels);
  return usable;
}

const Kernels& best_kernels() {
  static const Kernels& best = *usable_kernels().front();
  return best;
}

}  // namespace dryfit::predictor
