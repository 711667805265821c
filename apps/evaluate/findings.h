// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "predictor/comparison.h"
#include "predictor/data_set.h"
#include "predictor/evaluation.h"

namespace dryfit::evaluate {

/// The difference of one contender to the one named with --against.
struct NamedDifference {
  std::string name;
  predictor::Difference difference;
};

/// Everything that one call computed, before it is written as text, JSON or a page.
struct Findings {
  const predictor::DataSet& data;
  std::string features;
  std::string folds;
  std::uint64_t seed = 0;
  std::vector<predictor::Contender> contenders;
  predictor::Ranking ranking;
  std::vector<predictor::BaselineDifference> to_baselines;  ///< empty unless requested
  std::string against;                                      ///< empty unless requested
  std::vector<NamedDifference> to_named;

  std::size_t group_count() const;
};

void print_text(const Findings& findings);
void print_json(const Findings& findings);

/// An HTML page with plots of the contenders in `shown`, and the scores of all.
std::string page_of(const Findings& findings, const std::vector<const predictor::Contender*>& shown);

}  // namespace dryfit::evaluate
