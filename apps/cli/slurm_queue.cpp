// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "slurm_queue.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "captured.h"

namespace dryfit::cli {
namespace {

constexpr std::array<std::string_view, 3> kRunning{"RUNNING", "COMPLETING", "CONFIGURING"};

/// The parts before and after the first '|' of each line.
std::vector<std::pair<std::string, std::string>> pairs_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto bar = line.find('|');
    if (bar == std::string_view::npos) continue;
    pairs.emplace_back(line.substr(0, bar), line.substr(bar + 1));
  }
  return pairs;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string parse_job_id(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  const auto rest = end == std::string_view::npos ? "" : text.substr(end);
  return rest.empty() || rest[0] == ';' || rest[0] == '\n' ? std::string(text.substr(0, end)) : "";
}

ArrayState parse_queue(std::string_view text) {
  ArrayState state;
  for (const auto& [word, reason] : pairs_in(text)) {
    if (std::ranges::find(kRunning, word) != kRunning.end()) {
      ++state.running;
    } else {
      ++state.waiting;
      if (reason != "None") state.reason = reason;
    }
  }
  return state;
}

std::map<std::string, std::size_t> parse_accounts(std::string_view text) {
  std::map<std::string, std::size_t> states;
  for (const auto& [task, state] : pairs_in(text)) ++states[state.substr(0, state.find(' '))];
  return states;
}

Status check_slurm() {
  if (run_captured({"sbatch", "--version"})) return {};
  return Error{"sbatch is not installed on this machine",
               "Run this on a node of the Slurm cluster, or leave out --on slurm."};
}

Result<std::string> submit(const std::filesystem::path& script) {
  const auto ran = run_captured({"sbatch", "--parsable", script.string()});
  if (!ran) return ran.error();
  if (ran->code != 0)
    return Error{"sbatch rejected the job: " + first_line(ran->errors), "The script is " + script.string() + "."};
  auto id = parse_job_id(ran->output);
  if (id.empty()) return Error{"sbatch printed '" + first_line(ran->output) + "' instead of a job id", ""};
  return id;
}

Result<ArrayState> array_state(const std::string& job_id) {
  const auto ran = run_captured({"squeue", "--noheader", "--array", "--jobs=" + job_id, "--format=%T|%r"});
  if (!ran) return Error{"squeue is not installed on this machine", "Run this on a node of the Slurm cluster."};
  if (ran->code == 0) return parse_queue(ran->output);
  // squeue forgets a job a few minutes after it ended.
  if (ran->errors.find("Invalid job id") != std::string::npos) return ArrayState{};
  return Error{"squeue failed: " + first_line(ran->errors), "Run the same command again to retry."};
}

std::map<std::string, std::size_t> final_states(const std::string& job_id) {
  const auto ran =
      run_captured({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + job_id, "--format=JobID,State"});
  if (!ran || ran->code != 0) return {};
  return parse_accounts(ran->output);
}

}  // namespace dryfit::cli
