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

/// What the hooks of a profiled process have told so far (python/dryfit/hooks/_dryfit_profile/telling.py).
struct Told {
  using Seconds = std::chrono::duration<double>;

  std::string phase;                 ///< "load", "forward", "backward", "optimizer", "other"; empty: no PyTorch yet
  std::uint64_t steps = 0;           ///< completed
  Seconds now{};                     ///< of the last thing that was told, since PyTorch was imported
  std::optional<Seconds> step_time;  ///< of the last step, or three times the first forward pass until there is one
  Seconds step_begun{};
  std::string torch;
  std::optional<std::uint64_t> full_batch;  ///< what a DataLoader was asked for where it was given another
  bool saving = false;
  std::vector<std::string> errors;  ///< of the hooks

  /// How long the rest of `asked` steps takes, seen from `at`; none: not known yet.
  std::optional<Seconds> left(std::optional<std::uint64_t> asked, Seconds at) const;
};

/// Lines that are not understood are passed over; the last may be incomplete.
Told understand_told(std::string_view lines);

/// Of the process that has taken most steps; of several such the first.
struct ToldFile {
  std::filesystem::path path;
  Told told;
};
std::optional<ToldFile> furthest(const std::vector<std::filesystem::path>& files);

}  // namespace dryfit::cli
