// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dryfit::predictor {

/// Where the standard normal distribution has come to `probability`, which is above 0 and below 1: 1.645 for 0.95.
double normal_quantile(double probability);

/// How likely `least` or more of `trials` independent tries succeed, each with `probability` (0 to 1).
double binomial_tail(std::size_t least, std::size_t trials, double probability);

}  // namespace dryfit::predictor
