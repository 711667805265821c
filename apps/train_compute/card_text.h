// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "predictor/compute_training.h"

namespace dryfit::training {

/// The measured steps of one table, as they lie in a list of all.
struct StepTable {
  std::string title;  ///< "822 of timm's models on an RTX 3090"
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What a way's errors are, in a line that begins with "layers: "; its first two clauses are for everybody.
std::string errors_line(predictor::ComputeExamples examples, const std::vector<StepTable>& tables,
                        const predictor::StepsOutOfFold& predictions, const predictor::IntervalScores& intervals,
                        double coverage, const std::vector<predictor::GpuShift>& shifts);

/// Five scores in TFLOPS of the roofline, of each seed and of all together, a line each.
std::string scores_table(predictor::ComputeExamples examples, const StepTable& table,
                         const predictor::StepsOutOfFold& predictions);

/// A table that dryfit-evaluate reads, in TFLOPS: `row`, and a column for the roofline and for all seeds.
std::string predictions_of(predictor::ComputeExamples examples, const StepTable& table,
                           const predictor::StepsOutOfFold& predictions);

}  // namespace dryfit::training
