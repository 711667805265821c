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

/// The difference of one contender to the one asked for.
struct NamedDifference {
  std::string name;
  predictor::Difference difference;
};

/// All that one call found, before it is written for a person or a program.
struct Findings {
  const predictor::DataSet& data;
  std::string features;
  std::string folds;
  std::uint64_t seed = 0;
  std::vector<predictor::Contender> contenders;
  predictor::Standing standing;
  std::vector<predictor::BarDifference> to_bars;  ///< empty when not asked for
  std::string against;                            ///< empty when not asked for
  std::vector<NamedDifference> to_named;

  std::size_t group_count() const;
};

void print_text(const Findings& findings);
void print_json(const Findings& findings);

/// A page of HTML with plots of those contenders and everybody's scores.
std::string page_of(const Findings& findings, const std::vector<const predictor::Contender*>& shown);

}  // namespace dryfit::evaluate
