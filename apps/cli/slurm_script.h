// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace dryfit::cli {

/// What is asked of Slurm for each task of an array.
struct SlurmRequest {
  std::size_t cpus = 1;
  std::string partition;               ///< empty: the site's default
  std::string time;                    ///< as sbatch takes it; the same
  std::vector<std::string> arguments;  ///< of sbatch, as typed: "--mem=8G"
};

/// An array of tasks that differ in their number.
struct SlurmArray {
  std::size_t tasks = 0;
  std::filesystem::path folder;             ///< of the logs, "task-<number>.log"
  std::filesystem::path working_directory;  ///< of the tasks
  std::vector<std::string> command;         ///< words in which kTaskNumber stands for the number, from 0
};

constexpr const char* kTaskNumber = "%task%";

/// A batch script that sbatch takes without further options.
std::string script_text(const SlurmArray& array, const SlurmRequest& request);

/// As a word of a shell.
std::string quoted(const std::string& word);

}  // namespace dryfit::cli
