// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/nnls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kMostColumns = 12;
constexpr double kSingular = 1e-12;  ///< a pivot below this share of its column's length depends on the others
constexpr double kBetter = 1 - 1e-12;

using Columns = std::vector<std::size_t>;

/// A'A and A'b with columns of length 1, so that the units of columns do not matter.
struct NormalEquations {
  std::size_t size;
  std::vector<double> matrix;
  std::vector<double> right;
  std::vector<double> lengths;

  double at(std::size_t i, std::size_t j) const { return matrix[i * size + j]; }
};

NormalEquations normal_equations(std::span<const double> a, std::span<const double> b, std::size_t n) {
  NormalEquations equations{n, std::vector<double>(n * n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < a.size(); ++i) equations.lengths[i % n] += a[i] * a[i];
  for (auto& length : equations.lengths) length = length > 0 ? std::sqrt(length) : 1;
  for (std::size_t row = 0; row < b.size(); ++row) {
    const auto unit = [&](std::size_t i) { return a[row * n + i] / equations.lengths[i]; };
    for (std::size_t i = 0; i < n; ++i) {
      equations.right[i] += unit(i) * b[row];
      for (std::size_t j = 0; j < n; ++j) equations.matrix[i * n + j] += unit(i) * unit(j);
    }
  }
  return equations;
}

/// Cholesky's L, lower triangle; none if the columns are linearly dependent.
std::optional<std::vector<double>> factor(const NormalEquations& equations, const Columns& used) {
  const std::size_t n = used.size();
  std::vector<double> lower(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = equations.at(used[i], used[j]);
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i * n + k] * lower[j * n + k];
      if (i != j) {
        lower[i * n + j] = rest / lower[j * n + j];
      } else if (rest > kSingular) {
        lower[i * n + i] = std::sqrt(rest);
      } else {
        return {};
      }
    }
  }
  return lower;
}

/// The least squares over those columns alone, of any sign.
std::optional<std::vector<double>> solve(const NormalEquations& equations, const Columns& used) {
  const auto lower = factor(equations, used);
  if (!lower) return {};
  const std::size_t n = used.size();
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = equations.right[used[i]];
    for (std::size_t k = 0; k < i; ++k) x[i] -= (*lower)[i * n + k] * x[k];
    x[i] /= (*lower)[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= (*lower)[k * n + i] * x[k];
    x[i] /= (*lower)[i * n + i];
  }
  return x;
}

/// With the least-squares solution over some columns, the sum of squares is b'b minus this.
double gain(const NormalEquations& equations, const Columns& used, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < used.size(); ++i) sum += x[i] * equations.right[used[i]];
  return sum;
}

Columns columns_of(std::size_t choice) {
  Columns used;
  for (std::size_t i = 0; choice >> i != 0; ++i) {
    if (choice >> i & 1) used.push_back(i);
  }
  return used;
}

/// All sets of columns, smaller ones first.
std::vector<std::size_t> choices(std::size_t columns) {
  std::vector<std::size_t> all;
  for (std::size_t choice = 1; choice < std::size_t{1} << columns; ++choice) all.push_back(choice);
  std::ranges::stable_sort(all, {}, [](std::size_t choice) { return std::popcount(choice); });
  return all;
}

}  // namespace

std::vector<double> solve_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns) {
  DRYFIT_CHECK(columns > 0 && columns <= kMostColumns && a.size() == b.size() * columns);
  const auto equations = normal_equations(a, b, columns);
  std::vector<double> best(columns);
  double best_gain = 0;
  for (const auto choice : choices(columns)) {
    const auto used = columns_of(choice);
    const auto x = solve(equations, used);
    if (!x || std::ranges::any_of(*x, [](double value) { return value < 0; })) continue;
    const double this_gain = gain(equations, used, *x);
    if (this_gain * kBetter <= best_gain) continue;
    best_gain = this_gain;
    std::ranges::fill(best, 0);
    for (std::size_t i = 0; i < used.size(); ++i) best[used[i]] = (*x)[i] / equations.lengths[used[i]];
  }
  return best;
}

std::vector<double> solve_relative_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns) {
  DRYFIT_CHECK(columns > 0 && a.size() == b.size() * columns);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) {
    DRYFIT_CHECK(b[i / columns] > 0);
    ratios.push_back(a[i] / b[i / columns]);
  }
  return solve_nnls(ratios, std::vector<double>(b.size(), 1), columns);
}

}  // namespace dryfit::predictor
