// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "run_options.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// What `dryfit limits` found.
struct LimitsAnswer {
  verdict::Verdict verdict;  ///< with limits and a study of caps
  std::vector<std::string> command;
};

/// A job that was recorded or described: a RUN, a CPU trace, a JSON file of `dryfit predict`.
struct RecordedJob {
  std::string recording;
  std::vector<std::string> gpus;  ///< empty: the recorded one
  std::vector<std::filesystem::path> cards;
};

/// Runs the command on one GPU, and then with caps unless `confirms` is false. None: it was said on stderr why there
/// are no limits, and `exit_code` is set.
std::optional<LimitsAnswer> limits_of_command(const RunOptions& options, bool confirms, int& exit_code);

/// By replay of the recorded requests, or as predicted from a description. None: as above.
std::optional<LimitsAnswer> limits_of_recording(const RecordedJob& job, int& exit_code);

/// As predicted, for a job in JSON as `dryfit predict` reads it. None: as above.
std::optional<LimitsAnswer> limits_of_description(const RecordedJob& job, const std::string& description,
                                                  int& exit_code);

}  // namespace dryfit::cli
