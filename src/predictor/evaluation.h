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
/// What a network has to beat, by how favourably the others were set up:
///   b1  as the papers use them: squared loss, one sensible configuration each
///   b2  also with the absolute loss on logarithms, which is close to ours
///   b3  also fitted on the ratio to our physics base
/// A baseline includes all comparators up to it. For each metric it is the best of them, chosen with the test rows in
/// view, which favours the comparators. To beat all of them is to beat b3.
enum class Baseline : std::size_t { b1, b2, b3 };
inline constexpr std::array<Baseline, 3> kAllBaselines{Baseline::b1, Baseline::b2, Baseline::b3};

/// "B1".
std::string_view to_text(Baseline baseline);

/// The predictions of one model for every job, each made without the job's fold.
struct Contender {
  std::string name;               ///< "B2 LightGBM l1": a comparator of that baseline; any other name: ours
  std::vector<double> predicted;  ///< of each example of the data set, in its unit

  bool is_within(Baseline baseline) const;
};

/// The best value of each metric among the comparators of a baseline: the smallest, for R2 the largest.
struct BaselineScores {
  Scores best;
  std::array<std::string, kMetrics> names;  ///< the contender with that value; empty if the baseline has no comparators
};
BaselineScores score_baseline(Baseline baseline, std::span<const Contender> contenders, std::span<const Scores> scores);

/// The physics base alone, for each example the one fitted without its fold.
Contender base_out_of_fold(const DataSet& data);

/// Reads contenders from a table with the column `row` (of the data table) and a column of predictions per contender.
/// The table must have exactly the rows `rows`, each once, in any order; a prediction that is not above zero is an
/// Error.
Result<std::vector<Contender>> contenders_in(const Table& table, std::span<const std::size_t> rows);

/// Values of the data set in the unit of published scores.
std::vector<double> published(const DataSet& data, std::vector<double> values);

/// Scores in that unit.
Scores score(const DataSet& data, const Contender& contender);

}  // namespace dryfit::predictor
