// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_run.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <list>
#include <memory>
#include <optional>

#include "files.h"
#include "harvest_counts.h"
#include "harvest_process.h"
#include "harvest_progress.h"
#include "harvest_row.h"
#include "harvest_worker.h"
#include "judgement.h"
#include "signals.h"
#include "verdict/counting.h"
#include "work_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

/// How often timeouts are enforced and progress is drawn.
constexpr int kTickMilliseconds = 100;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string last_line(const fs::path& path) {
  auto text = last_lines(path, 1);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Whether the user, a batch system, or a machine short of memory ended the job. That says nothing about the job.
bool killed_from_outside(const launch::Ending& ending) {
  constexpr int kSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL};
  return ending.kind == launch::Ending::Kind::signalled &&
         std::ranges::find(kSignals, ending.code) != std::end(kSignals);
}

/// A failure is recorded only if the job also fails in a process of its own.
bool may_be_the_forks_fault(const launch::Ending& ending, const verdict::Verdict& verdict) {
  return ending.kind != launch::Ending::Kind::timed_out && verdict.answer == verdict::Answer::cannot_tell;
}

/// A job takes one run on its card, and a second one that counts operations, unless the first may count too or another
/// job that computes the same was counted already.
class Harvest {
 public:
  Harvest(const std::vector<HarvestJob>& jobs, const HarvestConditions& conditions, HarvestFile& file)
      : jobs_(jobs), conditions_(conditions), file_(file), workers_(conditions.process) {}

  HarvestTally run() {
    for (;;) {
      start_what_may();
      if (running_.empty()) break;
      sleep();
      hand_on_signals();
      collect_ended();
      show_progress();
    }
    progress_.clear();
    return std::move(tally_);
  }

 private:
  struct Running {
    const HarvestJob* job;
    const CardFile* card;
    std::optional<Measured> measured;  ///< set in the run that counts
    bool afresh;
    RunRequest request;
    WorkFolder folder;
    std::unique_ptr<HarvestProcess> process;
  };

  bool stopped() const { return tally_.interrupted || tally_.error; }

  void start_what_may() {
    hand_on_signals();
    while (!stopped() && next_ < jobs_.size() && running_.size() < conditions_.at_once) {
      start(jobs_[next_++], std::nullopt, conditions_.afresh);
    }
  }

  void start(const HarvestJob& job, std::optional<Measured> measured, bool afresh) {
    if (const auto status = try_to_start(job, std::move(measured), afresh); !status) tally_.error = status.error();
  }

  Status try_to_start(const HarvestJob& job, std::optional<Measured> measured, bool afresh) {
    auto folder = WorkFolder::temporary();
    if (!folder) return folder.error();
    const auto* card = conditions_.catalogue->find(job.card);
    RunRequest request{.source = job.source,
                       .description = description_of(job),
                       .card = measured ? verdict::endless_memory(card->card) : card->card,
                       .count_flops = measured || conditions_.count_while_measuring,
                       .folder = folder->path()};
    auto process = afresh ? start_afresh(request, conditions_.process) : workers_.start(request);
    if (!process) return process.error();
    running_.push_back({&job, card, std::move(measured), afresh, std::move(request), std::move(folder).value(),
                        std::move(process).value()});
    return {};
  }

  void sleep() const {
    std::vector<struct pollfd> watched{{signals_.wait_fd(), POLLIN, 0}};
    for (const auto& running : running_) watched.push_back({running.process->wait_fd(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), kTickMilliseconds);
  }

  void hand_on_signals() {
    while (const auto caught = signals_.next()) {
      tally_.interrupted = true;
      progress_.clear();
      for (auto& running : running_) running.process->interrupt(caught->number, caught->origin);
    }
  }

  void collect_ended() {
    for (auto running = running_.begin(); running != running_.end();) {
      if (!running->process->ended()) {
        ++running;
        continue;
      }
      finish(*running);
      running = running_.erase(running);
    }
  }

  void finish(Running& running) {
    const auto result = running.process->finish();
    running.process.reset();
    if (tally_.interrupted || result.ending.kind == launch::Ending::Kind::interrupted) return;
    if (killed_from_outside(result.ending)) {
      tally_.killed += 1;
      return;
    }
    const auto facts = facts_of(result);
    if (!running.afresh && may_be_the_forks_fault(result.ending, verdict::judge(running.card->card, facts))) {
      start(*running.job, std::move(running.measured), true);
      return;
    }
    keep_counts(running, verdict::count(running.card->card, facts).compute);
    if (running.measured) {
      write(*running.job, *running.measured);
    } else {
      go_on(running, measured(running, facts));
    }
  }

  /// A run that was cut off has totals, but not what they are made of.
  void keep_counts(const Running& running, analysis::Compute compute) {
    const bool whole = !compute.last_step.empty();
    if (!whole && !running.measured) return;
    counts_.put(*running.job, running.card->card, whole ? std::move(compute) : analysis::Compute{});
  }

  static Measured measured(const Running& running, const verdict::RunFacts& facts) {
    Measured result{verdict::judge(running.card->card, facts), read_file(running.request.layers()), ""};
    add_provenance(result.verdict, *running.card);
    if (has_failed(result)) result.failure = last_line(running.request.output());
    return result;
  }

  static bool has_failed(const Measured& measured) { return measured.verdict.answer == verdict::Answer::cannot_tell; }

  /// A job that failed for a reason other than memory would fail again.
  void go_on(const Running& running, Measured measured) {
    if (has_failed(measured) || counts_.find(*running.job, running.card->card)) {
      write(*running.job, measured);
    } else {
      start(*running.job, std::move(measured), conditions_.afresh);
    }
  }

  void write(const HarvestJob& job, const Measured& measured) {
    const auto* counted = has_failed(measured) ? nullptr : counts_.find(job, measured.verdict.card);
    const auto key = key_of(job, conditions_.torch);
    const auto row =
        row_text(job, key, conditions_.version, measured, counted ? *counted : analysis::Compute{}, conditions_.layers);
    if (const auto status = file_.append(key, row); !status) {
      tally_.error = status.error();
      return;
    }
    tally_.done += 1;
    tally_.failed += has_failed(measured);
  }

  void show_progress() {
    if (stopped() || !progress_.due()) return;
    progress_.draw({.done = tally_.done, .all = jobs_.size(), .running = running_.size()});
  }

  const std::vector<HarvestJob>& jobs_;
  const HarvestConditions& conditions_;
  HarvestFile& file_;
  std::size_t next_ = 0;
  HarvestTally tally_;
  HarvestCounts counts_;
  HarvestWorkers workers_;
  SignalQueue signals_;
  HarvestProgress progress_;
  std::list<Running> running_;
};

}  // namespace

HarvestTally harvest_all(const std::vector<HarvestJob>& jobs, const HarvestConditions& conditions, HarvestFile& file) {
  return Harvest(jobs, conditions, file).run();
}

}  // namespace dryfit::cli
