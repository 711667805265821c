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

/// A run on the CPU under PyTorch's profiler, in the place of one on the stand-in driver.
struct ProfileOptions {
  std::optional<std::uint64_t> batch;  ///< what a DataLoader's batch is to be; nullopt: as the program asks
  std::string version;                 ///< Dryfit's own, for the trace
};

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
  std::chrono::milliseconds interrupt_grace{5000};  ///< for the program's own handling of an interruption by the user
  bool keep_initialisation = false;                 ///< do not skip the random initialisation of large CPU tensors
  bool memory_history = true;                       ///< have PyTorch record its memory history
  bool explain = true;                              ///< have the hooks mark modules, tensors, phases beside it
  std::string unknown_sizes = "full";               ///< what the hooks assume of sizes that depend on unknown data
  bool count_flops = false;                         ///< have the hooks count; with PyTorch 2.10 memory then differs
  std::optional<ProfileOptions> profile;            ///< set: no driver and no machine, PyTorch's profiler instead
  int stdin_fd = 0;                                 ///< given to the program as its own; -1: /dev/null
  int stdout_fd = 1;                                ///< the same
  int stderr_fd = 2;                                ///< the same
};

/// How the program ended.
struct Ending {
  enum class Kind {
    exited,       ///< by itself, with `code`
    signalled,    ///< killed by signal `code`, which did not come from us
    steps_done,   ///< ended by the hooks after the asked number of steps, and the command as a whole with code 0
    timed_out,    ///< ended by us at the timeout
    interrupted,  ///< the user stopped us; `code` is the signal
  };
  Kind kind = Kind::exited;
  int code = 0;
};

struct JobResult {
  Ending ending;
  std::chrono::duration<double> wall{};          ///< from the start to the end of the command
  Bytes host_peak_rss;                           ///< largest resident set of any process of the job
  std::vector<std::filesystem::path> traces;     ///< one per process that loaded the driver, in order of pid
  std::vector<std::filesystem::path> histories;  ///< PyTorch memory snapshots the hooks left, in order of pid
  std::vector<std::filesystem::path> profiles;   ///< traces of PyTorch's profiler, in order of pid
  std::vector<std::filesystem::path> told;       ///< what the hooks of a profile told, in order of pid
};

/// How a signal reached us.
enum class SignalOrigin {
  process,   ///< somebody sent it to us alone (si_code SI_USER and the like): the program has not seen it
  terminal,  ///< a key or a hang-up (si_code SI_KERNEL): the whole process group got it, so the program has it already
};

/// The user's command, running under the stand-in driver. Its process tree never outlives this object, nor this process
/// (Note [The keeper] in launch/keeper.h), and only processes of this tree are ever signalled.
///
/// The program has our working directory, process group, session and terminal. What it gets as its environment is
/// listed in launch/environment.h.
///
/// When we end the program, we kill it outright: a trainer that is asked politely (SIGTERM) may write a checkpoint,
/// which it must never do on our account. Processes that are left when the command has ended get half a second to
/// notice that and end by themselves (Python's resource tracker removes shared memory then), and are killed after that.
///
/// Not thread-safe; several jobs may run side by side in one thread by polling them in turn.
class Job {
 public:
  /// Starts the command. Fails (with the sentence for the user) when it cannot be started; nothing is left behind then.
  static Result<Job> start(JobOptions options);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  ~Job();

  /// Waits up to `patience` for the program to end; true once it has. Enforces the timeout. Returns false early when a
  /// signal handler ran, so that the caller can look at what it noted.
  bool poll(std::chrono::milliseconds patience);

  /// Readable when poll() has something to do before a deadline: to sleep on several jobs at once with poll(2). The
  /// timeout is enforced by poll() only.
  int wait_fd() const;

  /// To be called when we received a signal. Hands it on to the program (to the process of the command itself, as a
  /// user without us would have sent it) unless the terminal already did. SIGINT, SIGTERM, SIGHUP and SIGQUIT count as
  /// an interruption by the user: the program gets JobOptions::interrupt_grace to handle it in its own way, then poll()
  /// kills it; a second interruption kills it at once. Two in the same moment are one: timeout(1) sends each twice.
  void forward_signal(int signal, SignalOrigin origin = SignalOrigin::process);

  /// The traces there are so far (for a progress line while the program runs).
  std::vector<std::filesystem::path> traces() const;

  /// What the hooks of a profile have told so far: one line of JSON each
  /// (python/dryfit/hooks/_dryfit_profile/telling.py).
  std::vector<std::filesystem::path> told() const;

  /// Ends what is left of the process tree and tells what happened. Call once, after poll() said true.
  JobResult finish();

 private:
  struct State;
  explicit Job(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dryfit::launch
