// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dryfit::cli {

/// What the hooks of a profiled process have written so far (python/dryfit/hooks/_dryfit_profile/hook_log.py).
struct HookLog {
  using Seconds = std::chrono::duration<double>;

  std::string phase;                 ///< "load", "forward", "backward", "optimizer", "other"; empty: no PyTorch yet
  std::uint64_t steps = 0;           ///< completed
  Seconds now{};                     ///< time of the last entry, since PyTorch was imported
  std::optional<Seconds> step_time;  ///< of the last step, or three times the first forward pass until there is one
  Seconds step_begun{};
  std::string torch;
  std::optional<std::uint64_t> full_batch;  ///< the program's own batch size, where a DataLoader got another
  bool saving = false;
  std::vector<std::string> errors;  ///< of the hooks

  /// Remaining time for `wanted` steps, seen from `at`; none: not known yet.
  std::optional<Seconds> left(std::optional<std::uint64_t> wanted, Seconds at) const;
};

/// Skips lines that make no sense; the last may be incomplete.
HookLog parse_hook_log(std::string_view lines);

/// The log of one process.
struct HookLogFile {
  std::filesystem::path path;
  HookLog log;
};

/// The log of the process with the most steps; the first of equals.
std::optional<HookLogFile> furthest(const std::vector<std::filesystem::path>& files);

}  // namespace dryfit::cli
