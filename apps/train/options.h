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
  std::string dry_runs;  ///< rows of a harvest, for features made of them
  std::string folds;     ///< empty: the first of the data set
  Choice choice;
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};
  bool final_test = false;
  bool show_recipe = false;
  std::string out;  ///< of out-of-fold predictions
  bool all_rows = false;
  std::string model;        ///< the file, of all rows
  std::string predictions;  ///< out-of-fold, for the card's errors
  Naming naming;
};

/// What the arguments say; or the exit code, after help or what is wrong was printed.
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse_options(int argc, char** argv);

/// Folds and features that were not said are the first of the data set. An Error when it has no such features.
Status fill_in(Options& options, const predictor::DataSetEntry& set);

}  // namespace dryfit::training
