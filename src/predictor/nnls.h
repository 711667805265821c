// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// The x >= 0 that makes the sum of squares of (A x - b) least. A is row by row, `columns` (at most 12) wide, with a
/// row per number of `b`. All choices of columns that may be above zero are weighed, so the answer is the best there
/// is, in 2^columns small steps; where several are equally good, the one with the fewest columns.
std::vector<double> solve_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns);

/// The x >= 0 that makes the sum of squares of (A x / b - 1) least: an error of a tenth counts alike everywhere. `b` is
/// above zero.
std::vector<double> solve_relative_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns);

}  // namespace dryfit::predictor
