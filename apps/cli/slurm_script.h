// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace dryfit::cli {

/// What each task of an array requests from Slurm.
struct SlurmRequest {
  std::size_t cpus = 1;
  std::string partition;               ///< empty: the site's default
  std::string time;                    ///< as sbatch takes it; empty: the site's default
  std::vector<std::string> arguments;  ///< for sbatch, as typed: "--mem=8G"
};

/// An array of tasks that differ only in their number.
struct SlurmArray {
  std::size_t tasks = 0;
  std::filesystem::path folder;             ///< where the logs go, "task-<number>.log"
  std::filesystem::path working_directory;  ///< of the tasks
  std::vector<std::string> command;         ///< kTaskNumber in it is replaced by the task's number, from 0
};

constexpr const char* kTaskNumber = "%task%";

/// A batch script that sbatch accepts without further options.
std::string script_text(const SlurmArray& array, const SlurmRequest& request);

/// Quotes a word for the shell.
std::string quoted(const std::string& word);

}  // namespace dryfit::cli
