// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "hook_log.h"
#include "launch/job.h"

namespace dryfit::cli {

/// A profiled run that has something to show.
struct Profiled {
  std::filesystem::path trace;  ///< as PyTorch wrote it, in the run's folder
  HookLog log;
  launch::Ending ending;
  HookLog::Seconds wall{};
  std::size_t others = 0;  ///< further processes that trained, whose traces are left out
  std::optional<launch::Writes> writes = {};

  bool failed() const { return ending.kind == launch::Ending::Kind::exited && ending.code != 0; }
};

/// The profile of a run that has ended, or an Error that says why there is none. No result: it was interrupted.
Result<Profiled> profiled(const std::optional<launch::JobResult>& result);

/// A trace that was written.
struct WrittenTrace {
  std::filesystem::path path;
  Bytes size;
  Bytes json_size;
  std::optional<std::uint64_t> batch;
  Profiled run;
};

/// For a person: a line per trace, remarks on it, and the next command.
std::string text_of(const std::vector<WrittenTrace>& traces);

/// For a program.
std::string json_of(const std::vector<WrittenTrace>& traces, const std::vector<std::string>& command);

}  // namespace dryfit::cli
