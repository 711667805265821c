// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "card/machine.h"

namespace dryfit::launch {

/// What is to be run, and on what.
struct JobOptions {
  std::vector<std::string> command;      ///< argv; command[0] is looked up in PATH as a shell would
  std::vector<std::string> environment;  ///< "NAME=value": the user's own; what the driver needs is added
  Machine machine;
  std::filesystem::path run_directory;     ///< existing and empty; traces and the machine file go here
  std::filesystem::path driver_directory;  ///< holds the stand-in libcuda.so.1 and libnvidia-ml.so.1
  std::filesystem::path hooks_directory;   ///< holds sitecustomize.py
  std::optional<std::uint64_t> steps = 3;  ///< end the program after so many optimizer steps; nullopt: let it end
  std::optional<std::chrono::milliseconds> timeout;
  bool keep_initialisation = false;  ///< do not skip the random initialisation of large CPU tensors
  bool memory_history = true;        ///< have PyTorch record its memory history
  int stdin_fd = 0;                  ///< given to the program as its own; -1: /dev/null
  int stdout_fd = 1;
  int stderr_fd = 2;
};

/// How the program ended.
struct Ending {
  enum class Kind {
    exited,       ///< by itself, with `code`
    signalled,    ///< killed by signal `code`, which did not come from us
    steps_done,   ///< ended by the hooks after the asked number of steps
    timed_out,    ///< ended by us at the timeout
    interrupted,  ///< the user stopped us; `code` is the signal
  };
  Kind kind = Kind::exited;
  int code = 0;
};

struct JobResult {
  Ending ending;
  std::chrono::duration<double> wall{};
  Bytes host_peak_rss;                        ///< largest resident set of any process of the job
  std::vector<std::filesystem::path> traces;  ///< one per process that loaded the driver, in order of pid
  std::vector<std::filesystem::path> histories;  ///< PyTorch memory snapshots the hooks left
};

/// The user's command, running under the stand-in driver. Its process tree never outlives this object.
/// Not thread-safe; several jobs may run side by side in one thread by polling them in turn.
class Job {
 public:
  /// Starts the command. Fails (with the sentence for the user) when it cannot be started.
  static Result<Job> start(JobOptions options);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  ~Job();

  /// Waits up to `patience` for the program to end; true once it has. Enforces the timeout.
  bool poll(std::chrono::milliseconds patience);

  /// Passes a signal that we received on to the program, and remembers that the user interrupted us.
  void forward_signal(int signal);

  /// The traces there are so far (for a progress line while the program runs).
  std::vector<std::filesystem::path> traces() const;

  /// Ends what is left of the process tree and tells what happened. Call once, after poll() said true.
  JobResult finish();

 private:
  struct State;
  explicit Job(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dryfit::launch
