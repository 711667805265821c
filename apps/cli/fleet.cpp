// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "fleet.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <list>

#include "progress.h"
#include "signals.h"
#include "stdin_share.h"

namespace dryfit::cli {
namespace {

using namespace std::chrono_literals;

/// How long to sleep at most: timeouts are enforced and progress is drawn in between.
constexpr int kTickMilliseconds = 100;

class Fleet {
 public:
  Fleet(std::vector<PlannedRun> runs, std::size_t at_once)
      : runs_(std::move(runs)),
        outcomes_(runs_.size()),
        at_once_(std::max<std::size_t>(at_once, 1)),
        stdin_(runs_.size()) {}

  std::vector<RunOutcome> run() {
    for (;;) {
      start_what_may();
      if (failed_ || running_.empty()) break;
      sleep();
      hand_on_signals();
      stdin_.pump();
      collect_ended();
      show_progress();
    }
    progress_.clear();
    return std::move(outcomes_);
  }

 private:
  struct Running {
    std::size_t index;
    launch::Job job;
    LiveView view;
  };

  void start_what_may() {
    hand_on_signals();
    while (!stopped_ && next_ < runs_.size() && running_.size() < at_once_) start(next_++);
  }

  void start(std::size_t index) {
    auto given = stdin_.next();
    runs_[index].options.stdin_fd = given.fd;
    auto job = launch::Job::start(runs_[index].options);
    if (job) {
      running_.push_back({index, std::move(job).value(), {}});
    } else {
      outcomes_[index].error = job.error();
      stopped_ = failed_ = true;
    }
  }

  void sleep() const {
    std::vector<struct pollfd> watched{{signals_.wait_fd(), POLLIN, 0}};
    for (const auto& running : running_) watched.push_back({running.job.wait_fd(), POLLIN, 0});
    for (const auto& interest : stdin_.interests()) {
      watched.push_back({interest.fd, static_cast<short>(interest.read ? POLLIN : POLLOUT), 0});
    }
    ::poll(watched.data(), watched.size(), kTickMilliseconds);
  }

  void hand_on_signals() {
    while (const auto caught = signals_.next()) {
      stopped_ = true;
      progress_.clear();
      for (auto& running : running_) running.job.forward_signal(caught->number, caught->origin);
    }
  }

  void collect_ended() {
    for (auto running = running_.begin(); running != running_.end();) {
      if (!running->job.poll(0ms)) {
        ++running;
        continue;
      }
      outcomes_[running->index].result = running->job.finish();
      running = running_.erase(running);
      ++done_;
    }
  }

  void show_progress() {
    if (running_.empty() || stopped_ || !progress_.due()) return;
    auto& shown = running_.front();
    const auto& run = runs_[shown.index];
    progress_.draw({.card = run.card, .doing = doing(shown), .done = done_, .all = runs_.size()});
  }

  std::string doing(Running& shown) const {
    const auto& options = runs_[shown.index].options;
    if (options.profile) return progress_text(shown.job.hook_logs(), options.steps);
    const auto state = shown.view.look(shown.job.traces());
    return state ? progress_text(*state, options.steps) : "";
  }

  std::vector<PlannedRun> runs_;
  std::vector<RunOutcome> outcomes_;
  std::size_t at_once_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  bool stopped_ = false;  ///< start nothing more
  bool failed_ = false;   ///< a run could not be started
  SignalQueue signals_;
  StdinShare stdin_;
  ProgressLine progress_;
  std::list<Running> running_;
};

}  // namespace

std::vector<RunOutcome> run_all(std::vector<PlannedRun> runs, std::size_t at_once) {
  return Fleet(std::move(runs), at_once).run();
}

}  // namespace dryfit::cli
