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

/// Where the tasks of an array are.
struct ArrayState {
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::string reason;  ///< why one of them waits, as Slurm says it

  bool ended() const { return running == 0 && waiting == 0; }
};

/// An Error when this machine has no sbatch.
Status check_slurm();

/// Hands a batch script to sbatch and gives the id of the job. The Error is sbatch's.
Result<std::string> submit(const std::filesystem::path& script);

/// What squeue says. An Error when it cannot be asked, which tells nothing of the array.
Result<ArrayState> array_state(const std::string& job_id);

/// How the tasks of an array ended, by sacct: "TIMEOUT" → 2. Empty where the site keeps no accounts.
std::map<std::string, std::size_t> final_states(const std::string& job_id);

/// "4711" of "4711" or "4711;cluster"; empty: it is something else.
std::string parse_job_id(std::string_view text);

/// Of lines "RUNNING|None".
ArrayState parse_queue(std::string_view text);

/// Of lines "4711_3|TIMEOUT", of which "CANCELLED by 1000" is "CANCELLED".
std::map<std::string, std::size_t> parse_accounts(std::string_view text);

}  // namespace dryfit::cli
