// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/seeding.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <numeric>
#include <utility>

namespace dryfit::training {

void begin_with_seed(std::uint64_t seed) {
  at::set_num_threads(1);
  at::globalContext().setDeterministicAlgorithms(true, false);
  at::manual_seed(seed);
}

std::vector<std::int64_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace dryfit::training
