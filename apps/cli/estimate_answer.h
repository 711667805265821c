// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "card/memory_share.h"
#include "verdict/verdict.h"
#include "whatif/recording.h"

namespace dryfit::cli {

/// Traces of a CPU profile, and the GPUs to estimate for.
struct EstimateQuestion {
  std::vector<std::filesystem::path> traces;
  std::optional<std::uint64_t> batch;
  std::vector<std::string> gpus;
  std::vector<std::filesystem::path> cards;
  std::string torch;
  std::string alloc_conf;
  MemoryLimits limits;
};

struct EstimateAnswer {
  std::vector<verdict::Verdict> verdicts;                    ///< one per GPU
  std::vector<std::optional<whatif::Recording>> recordings;  ///< what was played on each, if it can be played again
  std::vector<std::string> command;                          ///< that was profiled
};

/// Reads the traces and plays them, with a progress line on the terminal. None: it was said on stderr what is wrong,
/// and `exit_code` is set.
std::optional<EstimateAnswer> estimate_traces(const EstimateQuestion& question, int& exit_code);

}  // namespace dryfit::cli
