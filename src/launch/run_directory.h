// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "card/machine.h"

namespace dryfit::launch {

/// The directory through which we and the guests in the program's processes talk:
///
///     machine.txt                    we write it: the modelled machine
///     trace-<pid>.dryfit             the driver in process <pid> writes it; trace-<pid>-2.dryfit when the pid comes
///     again history-<pid>.pickle           the hooks write it: PyTorch's memory snapshot
///     trace-<pid>.json               the hooks of a profile write it: PyTorch's profiler's trace
///     told-<pid>.jsonl               the hooks of a profile append to it while the program runs
///     marks-<pid>.json               the same, where the run is explained: what the snapshot cannot tell
class RunDirectory {
 public:
  /// The directory need not exist yet for this; the path is made absolute.
  explicit RunDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path machine_file() const { return path_ / "machine.txt"; }
  std::filesystem::path inductor_cache() const { return path_ / "inductor"; }
  /// Writes the machine file whole, or leaves none and says why.
  Status write(const Machine& machine) const;
  void remove_machine() const;
  void remove_inductor_cache() const;

  /// What is there now, in order of pid.
  std::vector<std::filesystem::path> traces() const { return files("trace-", ".dryfit"); }
  std::vector<std::filesystem::path> histories() const { return files("history-", ".pickle"); }
  std::vector<std::filesystem::path> profiles() const { return files("trace-", ".json"); }
  std::vector<std::filesystem::path> told() const { return files("told-", ".jsonl"); }

  /// Whether the hooks of any process ended it because its steps were done.
  bool steps_done() const;

 private:
  std::vector<std::filesystem::path> files(std::string_view prefix, std::string_view suffix) const;
  std::filesystem::path path_;
};

}  // namespace dryfit::launch
