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
#include "predictor/metrics.h"
#include "predictor/table.h"
#include "predictor/timm_memory.h"

namespace dryfit::predictor {

/// Note [Bars]
/// What a network has to beat, by how fairly the others were treated:
///   b1  as the papers use them: squared loss, one sensible configuration each
///   b2  also with the absolute loss on logarithms, which is close to ours
///   b3  also fitted on the ratio to our physics base
/// A bar holds all comparators up to it, and is the best of them by metric, chosen with the test rows in view: it
/// favours the comparators. Only what beats b3 beats them all.
enum class Bar : std::size_t { b1, b2, b3 };
inline constexpr std::array<Bar, 3> kAllBars{Bar::b1, Bar::b2, Bar::b3};

/// "B1".
std::string_view to_text(Bar bar);

/// What one model said of every job, having been trained without the job's fold.
struct Contender {
  std::string name;  ///< "B2 LightGBM l1": a comparator, of that bar; any other is ours
  std::vector<double> predicted_mib;

  bool is_within(Bar bar) const;
};

/// The least (of R2 the largest) of each metric over the comparators of a bar.
struct BarScores {
  Scores best;
  std::array<std::string, kMetrics> names;  ///< whose that is; all empty when the bar has no comparators
};
BarScores score_bar(Bar bar, std::span<const Contender> contenders, std::span<const Scores> scores);

/// The physics base alone, fitted anew without each fold.
Result<Contender> physics_out_of_fold(const TimmMemory& data);

/// Reads contenders from a table with the column `row` (of the memory table) and one of MiB per contender. Every row of
/// `rows` must be there once and no other, in any order; a prediction that is not above zero is an Error.
Result<std::vector<Contender>> contenders_in(const Table& table, std::span<const std::size_t> rows);

/// Protocols that are kept for the last test, so that nothing is chosen by them: all repeats but module5_s0,
/// module5_s1, model5_s0 and random5_s0, and family5.
bool is_held_out(std::string_view protocol);

/// Scores in GiB, as all published ones are.
Scores score_gib(const TimmMemory& data, std::span<const double> predicted_mib);

}  // namespace dryfit::predictor
