// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace dryfit::training {

/// Limits torch to one thread and seeds its generator: the same calls then give the same numbers. On another processor
/// or with another libtorch they differ in the last bits.
void begin_with_seed(std::uint64_t seed);

/// The numbers from 0 to below `count` in an order drawn from `random`, the same with every standard library.
std::vector<std::int64_t> shuffled(std::size_t count, std::mt19937_64& random);

}  // namespace dryfit::training
