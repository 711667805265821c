// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "card/catalogue.h"
#include "history/formats.h"
#include "launch/environment.h"
#include "observation.h"
#include "observe_options.h"

namespace dryfit::cli {

constexpr const char* kSeeObserveHelp = "Run `dryfit observe --help` for details.";

/// What a record needs beside the measurement.
struct Surroundings {
  launch::Environment environment;
  std::filesystem::path history;
  Catalogue catalogue;
};

/// Also reads the files that hold the job's description and the prediction.
Result<Surroundings> surroundings(ObserveOptions& options);

/// Reads a whole file, which must not be empty; "-" is standard input.
Status read_into(std::string& text, const std::filesystem::path& path);

/// Defaults from the Slurm job that we run in, and from this machine.
Defaults own_defaults(const launch::Environment& environment);

/// Records to write.
struct Tally {
  std::filesystem::path history;
  history::Imported imported;
  std::size_t added = 0;
};

/// Writes them and returns the report: JSON or plain text.
Result<std::string> recorded(Tally tally, bool json);

}  // namespace dryfit::cli
