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

constexpr const char* kSeeObserveHelp = "See: dryfit observe --help";

/// What a record needs beside the measurement.
struct Surroundings {
  launch::Environment environment;
  std::filesystem::path history;
  Catalogue catalogue;
};

/// Also reads the files that the remarks stand in.
Result<Surroundings> surroundings(ObserveOptions& options);

/// All of a file, of which there must be something; "-" is standard input.
Status read_into(std::string& text, const std::filesystem::path& path);

/// What is taken from the Slurm job around us, and of this machine.
Defaults own_defaults(const launch::Environment& environment);

/// Records that are to be written.
struct Tally {
  std::filesystem::path history;
  history::Imported imported;
  std::size_t added = 0;
};

/// Writes them, and gives what is to be said of it: JSON or plain text.
Result<std::string> recorded(Tally tally, bool json);

}  // namespace dryfit::cli
