// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/stall_watch.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <ranges>

#include "launch/waiting_call.h"

namespace dryfit::launch {
namespace {

using std::chrono::milliseconds;

constexpr double kIdleShare = 0.002;
/// What the clock's granularity, and our own looking, may add.
constexpr std::uint64_t kSlackTicks = 2;
constexpr std::size_t kMostNamed = 3;

std::uint64_t idle_ticks(milliseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  return kSlackTicks + static_cast<std::uint64_t>(kIdleShare * seconds * static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

bool has_ended(const ProcessState& process) { return process.state == 'Z' || process.state == 'X'; }

bool is_asleep(const ProcessState& process) { return process.state == 'S' || has_ended(process); }

std::vector<std::pair<pid_t, std::uint64_t>> names_of(const std::vector<ProcessState>& processes) {
  std::vector<std::pair<pid_t, std::uint64_t>> names;
  for (const auto& process : processes) names.emplace_back(process.pid, process.started_ticks);
  return names;
}

std::uint64_t ticks_of(const std::vector<ProcessState>& processes) {
  return std::accumulate(processes.begin(), processes.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ProcessState& each) { return sum + each.cpu_ticks; });
}

/// The user reads our output at their own pace.
bool somebody_writes_to_the_user(const std::vector<ProcessState>& processes) {
  return std::ranges::any_of(processes, [](const ProcessState& process) {
    return std::ranges::any_of(threads_of(process.pid), [&](pid_t thread) {
      const auto call = waiting_call(process.pid, thread);
      return call && waits_for_our_reader(*call, process.pid);
    });
  });
}

bool sleeps_for_a_time(pid_t process, pid_t thread) {
  const auto call = waiting_call(process, thread);
  return !call || call->is_bounded;
}

std::map<std::pair<pid_t, pid_t>, std::uint64_t> naps_of(const std::vector<ProcessState>& processes) {
  std::map<std::pair<pid_t, pid_t>, std::uint64_t> naps;
  for (const auto& process : processes) {
    for (const auto thread : threads_of(process.pid)) {
      if (const auto times = times_slept(process.pid, thread)) naps[{process.pid, thread}] = *times;
    }
  }
  return naps;
}

/// A process that waits for its child is not named if another one can be.
std::string describe_stall(const std::vector<ProcessState>& processes) {
  std::vector<std::string> waits, waits_for_child;
  for (const auto& process : processes) {
    if (has_ended(process)) continue;
    const auto call = waiting_call(process.pid, process.pid);
    const auto place = call ? " for " + describe(*call, process.pid) : "";
    auto& list = call && call->is_for_child ? waits_for_child : waits;
    list.push_back("process " + std::to_string(process.pid) + " (" + command_line_of(process.pid) + ") was waiting" +
                   place);
  }
  if (waits.empty()) waits = std::move(waits_for_child);
  std::string text;
  for (const auto& wait : waits | std::views::take(kMostNamed)) text += (text.empty() ? "" : "; ") + wait;
  if (waits.size() > kMostNamed) text += "; so were " + std::to_string(waits.size() - kMostNamed) + " more";
  return text;
}

}  // namespace

bool StallWatch::moved(const std::vector<ProcessState>& processes) {
  auto members = names_of(processes);
  const auto ticks = ticks_of(processes);
  const bool is_quiet =
      members == members_ && ticks <= ticks_ + idle_ticks(quiet_) && std::ranges::all_of(processes, is_asleep);
  if (is_quiet) return false;
  members_ = std::move(members);
  ticks_ = ticks;
  return true;
}

std::optional<std::string> StallWatch::look(Clock::time_point now) {
  const auto processes = descendants_of(root_);
  const auto since = last_look_ ? std::chrono::duration_cast<milliseconds>(now - *last_look_) : milliseconds(0);
  last_look_ = now;
  const auto before = quiet_;
  quiet_ += std::min(since, 2 * kInterval);
  if (processes.empty() || moved(processes)) {
    quiet_ = milliseconds(0);
    return std::nullopt;
  }
  if (before < patience_ / 2 && quiet_ >= patience_ / 2) naps_ = naps_of(processes);
  if (quiet_ < patience_) return std::nullopt;
  if (quiet_ < kSleepFactor * patience_ && somebody_sleeps(processes)) return std::nullopt;
  if (somebody_writes_to_the_user(processes)) return std::nullopt;
  return describe_stall(processes);
}

/// A thread beside the main one counts only if it has not woken up since half of the patience.
bool StallWatch::somebody_sleeps(const std::vector<ProcessState>& processes) const {
  const auto is_long = [&](pid_t process, pid_t thread) {
    const auto times = times_slept(process, thread);
    const auto nap = naps_.find({process, thread});
    return process == thread || (times && nap != naps_.end() && nap->second == *times);
  };
  return std::ranges::any_of(processes, [&](const ProcessState& process) {
    return !has_ended(process) && std::ranges::any_of(threads_of(process.pid), [&](pid_t thread) {
      return sleeps_for_a_time(process.pid, thread) && is_long(process.pid, thread);
    });
  });
}

}  // namespace dryfit::launch
