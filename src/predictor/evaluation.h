// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/metrics.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// Note [Bars]
/// What a network has to beat, by how fairly the others were treated:
///   b1  as the papers use them: squared loss, one sensible configuration each
///   b2  also with the absolute loss on logarithms, which is close to ours
///   b3  also fitted on the ratio to our physics base
/// A baseline holds all comparators up to it, and is the best of them by metric, chosen with the test rows in view: it
/// favours the comparators. Only what beats b3 beats them all.
enum class Baseline : std::size_t { b1, b2, b3 };
inline constexpr std::array<Baseline, 3> kAllBaselines{Baseline::b1, Baseline::b2, Baseline::b3};

/// "B1".
std::string_view to_text(Baseline baseline);

/// What one model said of every job, having been trained without the job's fold.
struct Contender {
  std::string name;               ///< "B2 LightGBM l1": a comparator, of that baseline; any other is ours
  std::vector<double> predicted;  ///< of each example of the data set, in its unit

  bool is_within(Baseline baseline) const;
};

/// The least (of R2 the largest) of each metric over the comparators of a baseline.
struct BaselineScores {
  Scores best;
  std::array<std::string, kMetrics> names;  ///< whose that is; all empty when the baseline has no comparators
};
BaselineScores score_baseline(Baseline baseline, std::span<const Contender> contenders, std::span<const Scores> scores);

/// The physics base alone, of each example that of its fold, so that it has not seen it.
Contender base_out_of_fold(const DataSet& data);

/// Reads contenders from a table with the column `row` (of the data table) and one of predictions per contender. Every
/// row of `rows` must be there once and no other, in any order; a prediction that is not above zero is an Error.
Result<std::vector<Contender>> contenders_in(const Table& table, std::span<const std::size_t> rows);

/// Values of the data set in the unit of published scores.
std::vector<double> published(const DataSet& data, std::vector<double> values);

/// Scores in that unit.
Scores score(const DataSet& data, const Contender& contender);

}  // namespace dryfit::predictor
