// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "card/machine.h"

namespace dryfit::launch {

/// The directory through which we and the code inside the program's processes talk to each other:
///
///     machine.txt                    the modelled machine, written by us
///     ledger                         what each process holds of the GPUs (Note [The ledger] in card/memory_ledger.h)
///     trace-<pid>.dryfit             written by the driver in process <pid>; trace-<pid>-2.dryfit if the pid is reused
///     history-<pid>.pickle           PyTorch's memory snapshot, written by the hooks
///     trace-<pid>.json               the trace of PyTorch's profiler, written by the hooks of a profile
///     hooks-<pid>.jsonl              appended to by the hooks of a profile while the program runs
///     graphs-not-kept                made by the hooks if compiled graphs must not reach later runs (compile_cache.h)
///     marks-<pid>.json               what the snapshot does not record, written by the hooks if the run is explained
class RunDirectory {
 public:
  /// The directory need not exist yet; the path is made absolute.
  explicit RunDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path machine_file() const { return path_ / "machine.txt"; }
  std::filesystem::path inductor_cache() const { return path_ / "inductor"; }
  /// Writes the complete machine file, or leaves none and says why.
  Status write(const Machine& machine) const;
  void remove_machine() const;
  void remove_ledger() const;
  void remove_inductor_cache() const;

  /// The files so far, in order of pid.
  std::vector<std::filesystem::path> traces() const { return files("trace-", ".dryfit"); }
  std::vector<std::filesystem::path> histories() const { return files("history-", ".pickle"); }
  std::vector<std::filesystem::path> profiles() const { return files("trace-", ".json"); }
  std::vector<std::filesystem::path> hook_logs() const { return files("hooks-", ".jsonl"); }

  /// See Note [Kept compilations] in compile_cache.h.
  bool graphs_may_be_kept() const;

  /// Whether the hooks of any process ended it because its steps were done.
  bool steps_done() const;

 private:
  std::vector<std::filesystem::path> files(std::string_view prefix, std::string_view suffix) const;
  std::filesystem::path path_;
};

}  // namespace dryfit::launch
