// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/distributions.h"

#include <algorithm>
#include <cmath>

namespace dryfit::predictor {

double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double binomial_tail(std::size_t least, std::size_t trials, double probability) {
  if (least == 0) return 1;
  if (least > trials || probability <= 0) return 0;
  if (probability >= 1) return 1;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::size_t i = least; i <= trials; ++i) {
    const auto k = static_cast<double>(i);
    const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    sum += std::exp(ways + k * std::log(probability) + (n - k) * std::log1p(-probability));
  }
  return std::min(sum, 1.0);
}

}  // namespace dryfit::predictor
