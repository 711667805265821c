// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predictor/data_sets.h"
#include "training/choice.h"
#include "training/model_card.h"

namespace dryfit::training {

struct Options {
  std::string data;
  std::string dry_runs;  ///< rows of a harvest, for the features 'dry-run'
  std::string folds;     ///< empty: the first of the data set
  Choice choice;
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};
  bool final_test = false;
  bool show_recipe = false;
  std::string out;  ///< of out-of-fold predictions
  bool all_rows = false;
  std::string model;        ///< the file of the model trained on all rows
  std::string predictions;  ///< out-of-fold, for the errors in the model's description
  Naming naming;
};

/// The parsed arguments; or the exit code, after help or an error was printed.
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse_options(int argc, char** argv);

/// Sets missing folds and features to the data set's first. An Error if the data set doesn't have the features.
Status fill_in(Options& options, const predictor::DataSetEntry& set);

}  // namespace dryfit::training
