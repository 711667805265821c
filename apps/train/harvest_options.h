// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/job_training.h"

namespace dryfit::training {

struct HarvestOptions {
  std::string harvest;
  std::string models = "models/models.jsonl";  ///< the catalogue that describes the rows' models
  std::string cards = "cards";                 ///< folder of the card files
  JobPlan plan;
  std::vector<std::uint64_t> seeds{0, 1, 2};
  std::size_t folds = 5;
  double coverage = 0.95;  ///< of the bounds that are scored
  std::string judge;       ///< a kept model to score; nothing is learned then
  std::string out;
  std::string model;
  std::string name;
  std::string date;
  std::string licence;
};

/// The parsed arguments; or the exit code, after help or an error was printed.
struct ParsedHarvest {
  std::optional<HarvestOptions> options;
  int exit_code = 0;
};
ParsedHarvest parse_harvest_options(int argc, const char* const* argv);

}  // namespace dryfit::training
