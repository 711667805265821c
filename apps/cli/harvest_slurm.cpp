// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_slurm.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "commands.h"
#include "files.h"
#include "harvest_file.h"
#include "harvest_parts.h"
#include "harvest_progress.h"
#include "harvest_shares.h"
#include "screen.h"
#include "signals.h"
#include "slurm_queue.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kFirstWaitMilliseconds = 1000;
constexpr int kLongestWaitMilliseconds = 20'000;

/// An output file, its folder, and the job array that fills it.
class ArrayHarvest {
 public:
  ArrayHarvest(const SlurmHarvest& harvest, HarvestFile& file)
      : harvest_(harvest), file_(file), folder_(fs::absolute(harvest.out).string() + ".slurm"), parts_(folder_) {}

  int run() {
    there_ = count_done();
    if (const auto status = find_array(); !status) return fail(status.error(), kCouldNotTell);
    if (array_.empty()) {
      if (left().empty()) return finish();
      if (const auto status = submit_rest(); !status) return fail(status.error(), kCouldNotTell);
    }
    if (!harvest_.wait) return leave();
    if (const auto status = wait_for_array(); !status) return fail(status.error(), kCouldNotTell);
    return interrupted_ ? leave_interrupted() : finish();
  }

 private:
  std::vector<HarvestJob> left() const {
    std::vector<HarvestJob> jobs;
    std::ranges::copy_if(harvest_.jobs, std::back_inserter(jobs),
                         [&](const HarvestJob& job) { return !file_.contains(key_of(job, harvest_.torch)); });
    return jobs;
  }

  std::size_t count_done() const { return harvest_.jobs.size() - left().size(); }

  Status collect() {
    const auto added = parts_.collect_into(file_);
    return added ? Status() : Status(added.error());
  }

  /// Finds the array that an earlier command submitted, if it is still in the queue, and collects its rows.
  Status find_array() {
    std::ifstream input(folder_ / "array.json");
    const auto json = Json::parse(std::string{std::istreambuf_iterator<char>(input), {}}, nullptr, false);
    const auto id = json.is_object() ? json.value("job_id", Json()) : Json();
    if (id.is_string()) {
      const auto state = array_state(id.get<std::string>());
      if (!state) return state.error();
      if (!state->ended()) array_ = id.get<std::string>();
    }
    return collect();
  }

  Status submit_rest() {
    const auto shares = shares_of(left(), harvest_.tasks);
    if (const auto status = write_folder(shares); !status) return status;
    auto id = submit(folder_ / "harvest.sh");
    if (!id) return id.error();
    array_ = std::move(id).value();
    print(fmt::format("submitted {1} jobs in {2} tasks as Slurm job {0}; logs are in {3}\n", array_, left().size(),
                      shares.size(), folder_.string()));
    return write_atomically(folder_ / "array.json", Json{{"job_id", array_}}.dump() + "\n");
  }

  /// Rows of an earlier array are in the output already.
  Status write_folder(const std::vector<std::vector<HarvestJob>>& shares) {
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    if (error) return Error{"cannot create the folder '" + folder_.string() + "': " + error.message(), ""};
    parts_ = HarvestParts(folder_);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto file = folder_ / fmt::format("share-{}.json", i);
      if (const auto status = write_atomically(file, grid_text(shares[i])); !status) return status;
    }
    auto command = harvest_.command;
    const auto numbered = [&](const char* name, const char* ending) {
      return (folder_ / (std::string(name) + kTaskNumber + ending)).string();
    };
    command.insert(command.end(), {"--grid", numbered("share-", ".json"), "--out", numbered("part-", ".jsonl")});
    return write_atomically(folder_ / "harvest.sh", script_text({.tasks = shares.size(),
                                                                 .folder = folder_,
                                                                 .working_directory = fs::current_path(),
                                                                 .command = std::move(command)},
                                                                harvest_.request));
  }

  /// Until the array is gone, or a signal interrupts us. Slurm may be out of reach for a while.
  Status wait_for_array() {
    SignalQueue signals;
    HarvestProgress progress;
    for (int pause = kFirstWaitMilliseconds;; pause = std::min(pause * 3 / 2, kLongestWaitMilliseconds)) {
      const auto state = array_state(array_);
      if (const auto status = collect(); !status) return status;
      if (state && state->ended()) return {};
      if (progress.due()) progress.show(progress_text(state));
      struct pollfd watched{signals.wait_fd(), POLLIN, 0};
      interrupted_ = ::poll(&watched, 1, pause) > 0;
      if (interrupted_) return {};
    }
  }

  std::string progress_text(const Result<ArrayState>& state) const {
    if (!state) return "dryfit: " + state.error().what;
    return array_progress_text({.done = count_done(),
                                .all = harvest_.jobs.size(),
                                .running = state->running,
                                .waiting = state->waiting,
                                .reason = state->reason});
  }

  std::string summary() const {
    const auto done = count_done();
    return fmt::format("{}: {} jobs added, {} already there, {} left\n", harvest_.out.string(), done - there_, there_,
                       harvest_.jobs.size() - done);
  }

  int leave() const {
    print(summary());
    print(fmt::format("Slurm job {} is in the queue; run the same command again to collect its rows\n", array_));
    return kSuccess;
  }

  int leave_interrupted() const {
    print(summary());
    return fail({"interrupted; Slurm job " + array_ + " continues",
                 "Run the same command again to keep waiting, or `scancel " + array_ + "` to end the job."},
                kCouldNotTell);
  }

  int finish() {
    print(summary());
    if (count_done() == harvest_.jobs.size()) {
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
      return kSuccess;
    }
    std::string endings;
    for (const auto& [state, count] : final_states(array_)) endings += fmt::format(" {} {}", count, state);
    return fail(
        {"Slurm job " + array_ + " ended before all jobs were done" + (endings.empty() ? "" : "; its tasks:" + endings),
         "Look at the logs in " + folder_.string() + ", then run the same command to submit what is left."},
        kCouldNotTell);
  }

  const SlurmHarvest& harvest_;
  HarvestFile& file_;
  fs::path folder_;
  HarvestParts parts_;
  std::string array_;  ///< the id of the Slurm job; empty if none is in the queue
  std::size_t there_ = 0;
  bool interrupted_ = false;
};

}  // namespace

int harvest_on_slurm(const SlurmHarvest& harvest) {
  auto file = HarvestFile::open(harvest.out);
  if (!file) return fail(file.error(), kWrongUsage);
  return ArrayHarvest(harvest, *file).run();
}

}  // namespace dryfit::cli
