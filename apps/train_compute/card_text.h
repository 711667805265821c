// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "predictor/compute_training.h"

namespace dryfit::training {

/// The measured steps of one table, as a range in the list of all.
struct StepTable {
  std::string title;  ///< "822 of timm's models on an RTX 3090"
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The errors of a variant in one line that begins with, for example, "layers: "; its first two clauses are shown by
/// `dryfit predict`.
std::string errors_line(predictor::ComputeExamples examples, const std::vector<StepTable>& tables,
                        const predictor::StepsOutOfFold& predictions, const predictor::IntervalScores& intervals,
                        double coverage, const std::vector<predictor::GpuShift>& shifts);

/// Five scores in TFLOPS for the roofline, each seed and all seeds together, one line each.
std::string scores_table(predictor::ComputeExamples examples, const StepTable& table,
                         const predictor::StepsOutOfFold& predictions);

/// A table in TFLOPS for dryfit-evaluate: `row`, a column for the roofline and one for all seeds.
std::string predictions_of(predictor::ComputeExamples examples, const StepTable& table,
                           const predictor::StepsOutOfFold& predictions);

}  // namespace dryfit::training
