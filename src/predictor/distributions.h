// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dryfit::predictor {

/// The quantile of the standard normal distribution at `probability`, which is above 0 and below 1: 1.645 for 0.95.
double normal_quantile(double probability);

/// The probability that `least` or more of `trials` independent trials succeed, each with `probability` (0 to 1).
double binomial_tail(std::size_t least, std::size_t trials, double probability);

}  // namespace dryfit::predictor
