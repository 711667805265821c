// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/job.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "launch/command.h"
#include "launch/compile_cache.h"
#include "launch/environment.h"
#include "launch/free_port.h"
#include "launch/keeper.h"
#include "launch/run_directory.h"
#include "launch/stall_watch.h"
#include "launch/write_layer.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using Clock = Keeper::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kSameInterrupt{200};
constexpr milliseconds kTreeGrace{500};
constexpr milliseconds kLongestPatience = std::chrono::hours(24 * 365);

bool is_interrupt(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

/// Without the stand-in, the program would find this machine's own driver and real cards.
Status check_installed(const fs::path& directory, const char* file, const char* what) {
  std::error_code ignored;
  if (!fs::exists(directory / file, ignored)) {
    return Error{std::string(what) + " is missing: '" + (directory / file).string() + "' does not exist",
                 "Install Dryfit again."};
  }
  if (directory.string().find_first_of(":;") != std::string::npos) {
    return Error{"'" + directory.string() + "' contains ':' or ';' and can't be used in LD_LIBRARY_PATH or PYTHONPATH",
                 "Install Dryfit in a directory without ':' or ';' in its path."};
  }
  return {};
}

GuestSettings guest_settings(const JobOptions& options, const RunDirectory& directory) {
  return {.driver_directory = fs::absolute(options.driver_directory),
          .hooks_directory = fs::absolute(options.hooks_directory),
          .machine_file = directory.machine_file(),
          .inductor_cache = directory.inductor_cache(),
          .steps = options.steps,
          .most_steps = options.most_steps,
          .until_text = options.until_text,
          .keep_initialisation = options.keep_initialisation,
          .memory_history = options.memory_history,
          .explain = options.memory_history && options.explain,
          .may_time_out = options.timeout.has_value(),
          .unknown_sizes = options.unknown_sizes,
          .memory_fraction = options.memory_fraction,
          .count_flops = options.count_flops,
          .rendezvous_port = free_port()};
}

Environment environment_of(const JobOptions& options, const RunDirectory& directory) {
  if (!options.profile) return guest_environment(options.environment, guest_settings(options, directory));
  return profile_environment(options.environment, {.hooks_directory = fs::absolute(options.hooks_directory),
                                                   .directory = directory.path(),
                                                   .steps = options.steps,
                                                   .batch = options.profile->batch,
                                                   .version = options.profile->version,
                                                   .command = options.command});
}

/// What a dry run needs and a profile does not.
Status set_machine_up(const JobOptions& options, const RunDirectory& directory) {
  if (const auto status = check_installed(options.driver_directory, "libcuda.so.1", "the stand-in driver"); !status) {
    return status;
  }
  return directory.write(options.machine);
}

std::optional<CompileCache> compilations_for(const JobOptions& options) {
  if (!options.compile_cache) return std::nullopt;
  return CompileCache(*options.compile_cache, options.machine);
}

Program program_of(const JobOptions& options, const fs::path& file, const RunDirectory& directory, WriteLayer* layer) {
  return {.file = file,
          .arguments = options.command,
          .environment = environment_of(options, directory),
          .standard_fds = {options.stdin_fd, options.stdout_fd, options.stderr_fd},
          .layer = layer};
}

std::unique_ptr<WriteLayer> layer_for(const JobOptions& options, const RunDirectory& directory) {
  return options.hold_writes_back ? std::make_unique<WriteLayer>(options.command, options.environment, directory.path())
                                  : nullptr;
}

}  // namespace

struct Job::State {
  State(Keeper its_keeper, std::unique_ptr<WriteLayer> its_layer, RunDirectory its_directory,
        std::optional<CompileCache> its_compilations, const JobOptions& options)
      : layer(std::move(its_layer)),
        keeper(std::move(its_keeper)),
        directory(std::move(its_directory)),
        compilations(std::move(its_compilations)),
        steps_limited(options.steps.has_value() || !options.until_text.empty()),
        interrupt_grace(options.interrupt_grace) {
    if (options.timeout) timeout_at = started + std::min(*options.timeout, kLongestPatience);
    if (options.stall_patience) {
      stall_watch.emplace(keeper.pid(), *options.stall_patience);
      next_look = started + StallWatch::kInterval;
    }
  }

  bool ended() const { return keeper.status().has_value(); }
  void note_end();
  void enforce_deadlines();
  void look_for_stall(Clock::time_point now);
  Clock::time_point next_deadline() const;
  void wait_for_tree(milliseconds patience);
  void keep_compilations() const;
  Ending ending() const;

  std::unique_ptr<WriteLayer> layer;  ///< none: the program writes to the user's files
  Keeper keeper;
  RunDirectory directory;
  std::optional<CompileCache> compilations;
  bool steps_limited;
  milliseconds interrupt_grace;
  Clock::time_point started = Clock::now();
  Clock::time_point ended_at{};
  Clock::time_point timeout_at = Clock::time_point::max();
  Clock::time_point interrupted_at{};
  Clock::time_point patience_ends_at = Clock::time_point::max();  ///< for a program that was interrupted
  int interrupted_by = 0;
  bool timed_out = false;
  std::optional<StallWatch> stall_watch;
  Clock::time_point next_look = Clock::time_point::max();
  std::string stall;
};

void Job::State::note_end() {
  if (ended() && ended_at == Clock::time_point{}) ended_at = Clock::now();
}

void Job::State::enforce_deadlines() {
  const auto now = Clock::now();
  if (now >= patience_ends_at) {
    patience_ends_at = Clock::time_point::max();
    keeper.kill_tree();
  }
  if (now >= timeout_at) {
    timeout_at = Clock::time_point::max();
    timed_out = true;
    keeper.kill_tree();
  }
  if (now >= next_look) look_for_stall(now);
}

void Job::State::look_for_stall(Clock::time_point now) {
  next_look = now + StallWatch::kInterval;
  auto found = stall_watch->look(now);
  if (!found) return;
  next_look = Clock::time_point::max();
  stall = *std::move(found);
  keeper.kill_tree();
}

Clock::time_point Job::State::next_deadline() const { return std::min({timeout_at, patience_ends_at, next_look}); }

void Job::State::wait_for_tree(milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (!keeper.tree_gone() && Clock::now() < until) keeper.wait(until);
}

/// A program that failed may have been interrupted while it compiled.
void Job::State::keep_compilations() const {
  const auto end = ending();
  const bool ended_well = end.kind == Ending::Kind::steps_done || (end.kind == Ending::Kind::exited && end.code == 0);
  if (compilations && ended_well) compilations->keep(directory.inductor_cache(), directory.graphs_may_be_kept());
}

Ending Job::State::ending() const {
  const int status = *keeper.status();
  if (interrupted_by != 0) return {Ending::Kind::interrupted, interrupted_by};
  if (timed_out) return {Ending::Kind::timed_out, 0};
  if (!stall.empty()) return {Ending::Kind::stalled, 0};
  if (WIFSIGNALED(status)) return {Ending::Kind::signalled, WTERMSIG(status)};
  const int code = WEXITSTATUS(status);
  if (code == 0 && steps_limited && directory.steps_done()) return {Ending::Kind::steps_done, 0};
  return {Ending::Kind::exited, code};
}

Job::Job(std::unique_ptr<State> state) : state_(std::move(state)) {}
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;
Job::~Job() = default;

Result<Job> Job::start(JobOptions options) {
  if (options.command.empty()) return find_command("", {}).error();
  const auto file = find_command(options.command.front(), options.environment);
  if (!file) return file.error();
  if (const auto status = check_installed(options.hooks_directory, "sitecustomize.py", "Dryfit's Python code");
      !status) {
    return status.error();
  }
  const RunDirectory directory(options.run_directory);
  if (!options.profile) {
    if (const auto status = set_machine_up(options, directory); !status) return status.error();
  }
  const auto compilations = compilations_for(options);
  if (compilations) compilations->lend(directory.inductor_cache());
  auto layer = layer_for(options, directory);
  auto keeper = Keeper::start(program_of(options, *file, directory, layer.get()));
  if (!keeper) {
    directory.remove_machine();
    return keeper.error();
  }
  return Job(std::make_unique<State>(std::move(keeper).value(), std::move(layer), directory, compilations, options));
}

bool Job::poll(milliseconds patience) {
  State& job = *state_;
  const auto until = Clock::now() + std::min(patience, kLongestPatience);
  while (!job.ended()) {
    const auto heard = job.keeper.wait(std::min(until, job.next_deadline()));
    job.note_end();
    if (heard == Keeper::Wait::news) continue;
    job.enforce_deadlines();
    if (heard == Keeper::Wait::interrupted || Clock::now() >= until) break;
  }
  return job.ended();
}

int Job::wait_fd() const { return state_->keeper.descriptor(); }

void Job::forward_signal(int signal, SignalOrigin origin) {
  State& job = *state_;
  if (job.ended()) return;
  const auto now = Clock::now();
  const bool again = job.interrupted_by != 0;
  if (is_interrupt(signal) && again) {
    if (now - job.interrupted_at >= kSameInterrupt) job.keeper.kill_tree();
    return;
  }
  if (is_interrupt(signal)) {
    job.interrupted_by = signal;
    job.interrupted_at = now;
    job.patience_ends_at = now + job.interrupt_grace;
  }
  if (origin == SignalOrigin::process) job.keeper.signal_program(signal);
}

std::vector<fs::path> Job::traces() const { return state_->directory.traces(); }
std::vector<fs::path> Job::hook_logs() const { return state_->directory.hook_logs(); }

JobResult Job::finish() {
  State& job = *state_;
  DRYFIT_CHECK(job.ended());
  job.wait_for_tree(kTreeGrace);
  if (!job.keeper.tree_gone()) {
    job.keeper.kill_tree();
    job.wait_for_tree(kKillPatience + kTreeGrace);
  }
  job.keep_compilations();
  job.directory.remove_inductor_cache();
  job.directory.remove_ledger();
  return {.ending = job.ending(),
          .stall = job.stall,
          .wall = job.ended_at - job.started,
          .host_peak_rss = job.keeper.peak_rss(),
          .traces = job.directory.traces(),
          .histories = job.directory.histories(),
          .profiles = job.directory.profiles(),
          .hook_logs = job.directory.hook_logs(),
          .writes = job.layer ? std::optional(job.layer->writes()) : std::nullopt};
}

}  // namespace dryfit::launch
