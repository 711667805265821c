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
#include "launch/writes.h"

namespace dryfit::launch {

/// A run on the CPU under PyTorch's profiler, instead of one on the stand-in driver.
struct ProfileOptions {
  std::optional<std::uint64_t> batch;  ///< the batch size to set in a DataLoader; nullopt: the program's own
  std::string version;                 ///< Dryfit's own, for the trace
};

/// What to run, and on which machine.
struct JobOptions {
  std::vector<std::string> command;      ///< argv; command[0] is looked up in PATH as a shell would
  std::vector<std::string> environment;  ///< "NAME=value": the user's own; what the driver needs is added
  Machine machine;
  std::filesystem::path run_directory;      ///< existing and empty; traces and the machine file go here
  std::filesystem::path driver_directory;   ///< holds the stand-in libcuda.so.1 and libnvidia-ml.so.1
  std::filesystem::path hooks_directory;    ///< holds sitecustomize.py
  std::optional<std::uint64_t> steps = 3;   ///< end the program after this many optimizer steps; nullopt: let it finish
  std::optional<std::uint64_t> most_steps;  ///< go on up to this many while the peak grows; nullopt: `steps` is exact
  std::string until_text;                   ///< also end it when it prints this; empty: no such text
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> stall_patience;  ///< end it after standing still for so long; nullopt: never
  std::chrono::milliseconds interrupt_grace{5000};          ///< time to handle an interruption by the user
  bool keep_initialisation = false;                    ///< do not skip the random initialisation of large CPU tensors
  bool memory_history = true;                          ///< have PyTorch record its memory history
  bool explain = true;                                 ///< also have the hooks mark modules, tensors and phases
  std::string unknown_sizes = "full";                  ///< what the hooks assume for sizes that depend on unknown data
  std::optional<double> memory_fraction;               ///< to cap PyTorch's allocator with
  bool count_flops = false;                            ///< have the hooks count FLOPs; changes memory with PyTorch 2.10
  std::optional<std::filesystem::path> compile_cache;  ///< where compilations are kept between runs; nullopt: nowhere
  std::optional<ProfileOptions> profile;               ///< if set: no driver and no machine, PyTorch's profiler instead
  bool hold_writes_back = false;                       ///< what the program writes is discarded (launch/write_layer.h)
  int stdin_fd = 0;                                    ///< given to the program as its own; -1: /dev/null
  int stdout_fd = 1;                                   ///< the same
  int stderr_fd = 2;                                   ///< the same
};

/// How the program ended.
struct Ending {
  enum class Kind {
    exited,       ///< on its own, with `code`
    signalled,    ///< killed by signal `code`, which did not come from us
    steps_done,   ///< ended by the hooks after the requested steps or text; the command as a whole had code 0
    timed_out,    ///< killed by us at the timeout
    stalled,      ///< killed by us because it stood still: Note [Stalls] in launch/stall_watch.h
    interrupted,  ///< the user stopped us; `code` is the signal
  };
  Kind kind = Kind::exited;
  int code = 0;
};

struct JobResult {
  Ending ending;
  std::string stall;                             ///< of one that stalled: which process waited for what; else empty
  std::chrono::duration<double> wall{};          ///< from the start to the end of the command
  Bytes host_peak_rss;                           ///< largest resident set of any process of the job
  std::vector<std::filesystem::path> traces;     ///< one per process that loaded the driver, in order of pid
  std::vector<std::filesystem::path> histories;  ///< PyTorch memory snapshots written by the hooks, in order of pid
  std::vector<std::filesystem::path> profiles;   ///< traces of PyTorch's profiler, in order of pid
  std::vector<std::filesystem::path> hook_logs;  ///< written by the hooks of a profile, in order of pid
  std::optional<Writes> writes;                  ///< where they were to be held back
};

/// How a signal reached us.
enum class SignalOrigin {
  process,   ///< sent to us alone (si_code SI_USER and the like): the program has not seen it
  terminal,  ///< a key or a hang-up (si_code SI_KERNEL): the whole process group received it, the program included
};

/// The user's command, running under the stand-in driver. Its process tree never outlives this object or this process
/// (Note [The keeper] in launch/keeper.h), and only processes of this tree are ever signalled.
///
/// The program shares our working directory, process group, session and terminal. Its environment is described in
/// launch/environment.h.
///
/// When we end the program, we kill it outright: given a SIGTERM, a trainer may write a checkpoint, which it must never
/// do because of us. Processes that are left when the command has ended get half a second to notice and exit (this is
/// when Python's resource tracker removes shared memory), and are then killed.
///
/// Not thread-safe. One thread can run several jobs side by side by polling them in turn.
class Job {
 public:
  /// Starts the command. If it cannot be started, the Error says why in words for the user, and nothing is left behind.
  static Result<Job> start(JobOptions options);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  ~Job();

  /// Waits up to `patience` for the program to end; true once it has ended. Enforces the timeout, and ends stalls. Returns false early
  /// if a signal handler ran, so that the caller can act on the signal.
  bool poll(std::chrono::milliseconds patience);

  /// Readable when poll() has something to do before a deadline: for sleeping on several jobs at once with poll(2).
  /// Only poll() enforces the timeout.
  int wait_fd() const;

  /// Call this when we received a signal. Passes it on to the program (to the process of the command itself, as if the
  /// user had run it without us) unless the terminal already did. SIGINT, SIGTERM, SIGHUP and SIGQUIT count as an
  /// interruption by the user: the program gets JobOptions::interrupt_grace to handle it, then poll() kills it; a
  /// second interruption kills it at once. Two at the same moment count as one: timeout(1) sends each twice.
  void forward_signal(int signal, SignalOrigin origin = SignalOrigin::process);

  /// The traces so far (for a progress line while the program runs).
  std::vector<std::filesystem::path> traces() const;

  /// The logs that the hooks of a profile have written so far: one JSON object per line
  /// (python/dryfit/hooks/_dryfit_profile/hook_log.py).
  std::vector<std::filesystem::path> hook_logs() const;

  /// Ends what is left of the process tree and reports what happened. Call once, after poll() returned true.
  JobResult finish();

 private:
  struct State;
  explicit Job(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dryfit::launch
