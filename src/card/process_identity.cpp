// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/process_identity.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "base/unique_fd.h"

namespace dryfit {
namespace {

enum class Sight { running, ended, hidden };

struct Seen {
  Sight sight = Sight::hidden;
  std::uint32_t start = 0;
};

// Fields of /proc/<pid>/stat, counted from the one after the name in parentheses (proc(5) counts from 1: 3, 20, 22).
constexpr int kThreads = 17;
constexpr int kStart = 19;

std::uint64_t number_in(std::string_view word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

/// A zombie with threads is a process whose first thread has left; without, it only waits for its parent.
Seen read_stat(std::string_view text) {
  const auto name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return {};
  text.remove_prefix(name_end + 2);
  const char state = text.empty() ? '?' : text.front();
  std::uint64_t threads = 0;
  for (int field = 0; field <= kStart; ++field) {
    const auto word = text.substr(0, text.find(' '));
    if (field == kThreads) threads = number_in(word);
    if (field == kStart) {
      const bool gone = state == 'X' || (state == 'Z' && threads <= 1);
      return {gone ? Sight::ended : Sight::running, static_cast<std::uint32_t>(number_in(word))};
    }
    if (word.size() == text.size()) break;
    text.remove_prefix(word.size() + 1);
  }
  return {};
}

Seen look_at(pid_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return {errno == ENOENT ? Sight::ended : Sight::hidden, 0};
  char text[1024];
  const ssize_t size = ::read(file.get(), text, sizeof text);
  if (size < 0) return {errno == ESRCH ? Sight::ended : Sight::hidden, 0};
  return read_stat({text, static_cast<std::size_t>(size)});
}

}  // namespace

std::optional<ProcessIdentity> identity_of(pid_t pid) noexcept {
  const Seen seen = look_at(pid);
  if (seen.sight != Sight::running) return std::nullopt;
  return ProcessIdentity{static_cast<std::uint32_t>(pid), seen.start};
}

bool is_running(ProcessIdentity process) noexcept {
  const auto pid = static_cast<pid_t>(process.pid);
  const Seen seen = look_at(pid);
  if (seen.sight == Sight::hidden) return ::kill(pid, 0) == 0 || errno != ESRCH;
  return seen.sight == Sight::running && seen.start == process.start;
}

std::uint32_t ticks_now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  const auto per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const auto seconds = static_cast<std::uint64_t>(time.tv_sec), nanoseconds = static_cast<std::uint64_t>(time.tv_nsec);
  return static_cast<std::uint32_t>(seconds * per_second + nanoseconds * per_second / 1'000'000'000);
}

}  // namespace dryfit
