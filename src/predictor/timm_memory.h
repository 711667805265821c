// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/features.h"
#include "predictor/folds.h"
#include "predictor/job.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// A job with a peak that was measured on a GPU.
struct MeasuredJob {
  std::string model;
  std::string module;  ///< the source file that defines it; models in unseen modules count as unseen architectures
  Job job;
  double measured_mib = 0;
};

/// The measured training peaks of timm's models, and how they are divided.
struct TimmMemory {
  std::vector<MeasuredJob> jobs;  ///< those of the fold table, in its order
  std::vector<std::size_t> rows;  ///< the row of each job in the memory table
  Folds folds;                    ///< over `jobs`: places, not rows
};

/// The tables that it is joined from.
struct TimmTables {
  Table memory;   ///< timm-train-memory.csv
  Table folds;    ///< splits/timm-train-memory-ok.csv
  Table sizes;    ///< splits/timm-train-size.csv
  Table modules;  ///< splits/timm-model-module.csv
  Table blocks;   ///< splits/timm-blocks16.csv
};

/// From the folder of the data sets.
Result<TimmTables> read_timm_tables(const std::filesystem::path& folder);

/// Note [Training size]
/// The memory table gives image size, multiply-adds and activations at the size of timm's inference benchmark, but the
/// peaks were measured at the models' training size. So the size is taken from the table of sizes, and numbers per
/// sample are scaled with the square of the ratio.
///
/// An Error if a column, a model's size, module or blocks are missing, or a number is invalid.
Result<TimmMemory> join_timm_memory(const TimmTables& tables, std::string_view protocol);

/// The same as a data set for learners. The base is the physics base, fitted on each fold's training jobs; it is not a
/// feature, as the estimate that it is made from is one. Groups are modules if the folds separate them, otherwise
/// models. An Error if the base cannot be fitted.
Result<DataSet> timm_memory_set(const TimmMemory& memory, std::string_view protocol, FeatureSet features);

}  // namespace dryfit::predictor
