// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "slurm_script.h"

#include <algorithm>
#include <string_view>

namespace dryfit::cli {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// In sbatch's file names "%a" is the number of the task.
std::string log_pattern(const std::filesystem::path& folder) {
  auto text = folder.string();
  replace_all(text, "%", "%%");
  return text + "/task-%a.log";
}

/// Puts the number outside the quotes, so that the shell expands it.
std::string command_line(const std::vector<std::string>& command) {
  std::string text = "exec";
  for (const auto& word : command) {
    auto safe = quoted(word);
    replace_all(safe, kTaskNumber, "'\"$SLURM_ARRAY_TASK_ID\"'");
    text += " " + safe;
  }
  return text + "\n";
}

}  // namespace

std::string quoted(const std::string& word) {
  auto text = word;
  replace_all(text, "'", R"('\'')");
  return "'" + text + "'";
}

std::string script_text(const SlurmArray& array, const SlurmRequest& request) {
  std::vector<std::string> options{"--job-name=dryfit-harvest",
                                   "--array=0-" + std::to_string(array.tasks - 1),
                                   "--cpus-per-task=" + std::to_string(request.cpus),
                                   "--output=" + log_pattern(array.folder),
                                   "--open-mode=append",
                                   "--chdir=" + array.working_directory.string()};
  if (!request.partition.empty()) options.push_back("--partition=" + request.partition);
  if (!request.time.empty()) options.push_back("--time=" + request.time);
  options.insert(options.end(), request.arguments.begin(), request.arguments.end());
  std::string text = "#!/bin/sh\n";
  for (const auto& option : options) text += "#SBATCH " + quoted(option) + "\n";
  return text + command_line(array.command);
}

}  // namespace dryfit::cli
