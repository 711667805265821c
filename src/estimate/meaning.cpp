// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/meaning.h"

namespace dryfit::estimate {

Meaning meaning_of(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function: ")) return Meaning::backward;
  if (name == "dryfit::backward") return Meaning::backward;
  if (name == "torch::autograd::AccumulateGrad") return Meaning::gradient;
  if (name.starts_with(kOptimizerStep)) return Meaning::optimizer;
  if (name.starts_with("Optimizer.zero_grad#")) return Meaning::zero_grad;
  if (name == "dryfit::loaded") return Meaning::loaded;
  if (name == "dryfit::to_device") return Meaning::to_device;
  if (name == "dryfit::to_host" || name == "dryfit::host") return Meaning::to_host;
  if (name.starts_with("enumerate(DataLoader)#")) return Meaning::loader;
  return Meaning::nothing;
}

std::vector<Meaning> meanings_of(const TextTable& names) {
  std::vector<Meaning> meanings;
  meanings.reserve(names.size());
  for (TextTable::Id id = 0; id < names.size(); ++id) meanings.push_back(meaning_of(names[id]));
  return meanings;
}

}  // namespace dryfit::estimate
