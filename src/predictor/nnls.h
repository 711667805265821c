// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// The x >= 0 that minimises the sum of squares of (A x - b). A is given row by row, `columns` (at most 12) wide, with
/// a row per number of `b`. It tries every set of columns that may be above zero, so the answer is optimal, in
/// 2^columns small steps; among equally good answers it takes the one with the fewest columns.
std::vector<double> solve_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns);

/// The x >= 0 that minimises the sum of squares of (A x / b - 1): an error of 10 % weighs the same everywhere. `b` is
/// above zero.
std::vector<double> solve_relative_nnls(std::span<const double> a, std::span<const double> b, std::size_t columns);

}  // namespace dryfit::predictor
