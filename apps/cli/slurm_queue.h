// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// The state of an array's tasks.
struct ArrayState {
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::string reason;  ///< why one of them waits, in Slurm's words

  bool ended() const { return running == 0 && waiting == 0; }
};

/// An Error when this machine has no sbatch.
Status check_slurm();

/// Submits a batch script with sbatch and returns the id of the job. The Error is sbatch's.
Result<std::string> submit(const std::filesystem::path& script);

/// What squeue reports. An Error when it doesn't answer, which says nothing about the array.
Result<ArrayState> array_state(const std::string& job_id);

/// How the tasks of an array ended, by sacct: "TIMEOUT" → 2. Empty if the site keeps no accounting.
std::map<std::string, std::size_t> final_states(const std::string& job_id);

/// "4711" for "4711" or "4711;cluster"; empty for anything else.
std::string parse_job_id(std::string_view text);

/// Reads lines of the form "RUNNING|None".
ArrayState parse_queue(std::string_view text);

/// Counts the states in lines of the form "4711_3|TIMEOUT"; "CANCELLED by 1000" counts as "CANCELLED".
std::map<std::string, std::size_t> parse_accounts(std::string_view text);

}  // namespace dryfit::cli
