// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/waiting_call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "launch/socket_name.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

/// How a call says for how long it waits.
enum class Bound {
  none,     ///< it doesn't
  always,   ///< it is a sleep
  pointer,  ///< an argument points to a time; null: for ever
  number,   ///< an argument is one of milliseconds; negative: for ever
};

struct Call {
  long number;
  std::string_view name;
  Bound bound = Bound::none;
  std::size_t bound_argument = 0;
  bool has_fd = false;  ///< the first argument is the descriptor that it waits for
};

constexpr bool kFd = true;

constexpr Call kCalls[] = {
    {SYS_read, "read", Bound::none, 0, kFd},
    {SYS_readv, "readv", Bound::none, 0, kFd},
    {SYS_pread64, "pread64", Bound::none, 0, kFd},
    {SYS_write, "write", Bound::none, 0, kFd},
    {SYS_writev, "writev", Bound::none, 0, kFd},
    {SYS_recvfrom, "recvfrom", Bound::none, 0, kFd},
    {SYS_recvmsg, "recvmsg", Bound::none, 0, kFd},
    {SYS_recvmmsg, "recvmmsg", Bound::pointer, 4, kFd},
    {SYS_sendto, "sendto", Bound::none, 0, kFd},
    {SYS_sendmsg, "sendmsg", Bound::none, 0, kFd},
    {SYS_accept, "accept", Bound::none, 0, kFd},
    {SYS_accept4, "accept4", Bound::none, 0, kFd},
    {SYS_connect, "connect", Bound::none, 0, kFd},
    {SYS_flock, "flock", Bound::none, 0, kFd},
    {SYS_fcntl, "fcntl", Bound::none, 0, kFd},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_futex, "futex", Bound::pointer, 3},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_vfork, "vfork"},
    {SYS_pause, "pause"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", Bound::pointer, 2},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop", Bound::pointer, 3},
    {SYS_msgrcv, "msgrcv"},
    {SYS_mq_timedreceive, "mq_timedreceive", Bound::pointer, 4},
    {SYS_io_getevents, "io_getevents", Bound::pointer, 4},
    {SYS_poll, "poll", Bound::number, 2},
    {SYS_ppoll, "ppoll", Bound::pointer, 2},
    {SYS_select, "select", Bound::pointer, 4},
    {SYS_pselect6, "pselect6", Bound::pointer, 4},
    {SYS_epoll_wait, "epoll_wait", Bound::number, 3},
    {SYS_epoll_pwait, "epoll_pwait", Bound::number, 3},
    {SYS_nanosleep, "nanosleep", Bound::always},
    {SYS_clock_nanosleep, "clock_nanosleep", Bound::always},
    {SYS_restart_syscall, "restart_syscall", Bound::always},
};

/// "202 0x7f… 0x80 0x0 …": the number, and six arguments.
struct Line {
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
};

std::string_view next_word(std::string_view& text) {
  const auto begin = std::min(text.find_first_not_of(" \n"), text.size());
  const auto end = std::min(text.find_first_of(" \n", begin), text.size());
  const auto word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

template <class Number>
bool read_number(std::string_view word, int base, Number& number) {
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number, base);
  return code == std::errc() && end == word.data() + word.size();
}

std::optional<Line> parse_line(std::string_view text) {
  Line line;
  if (!read_number(next_word(text), 10, line.number)) return std::nullopt;
  for (auto& argument : line.arguments) {
    const auto word = next_word(text);
    if (!word.starts_with("0x") || !read_number(word.substr(2), 16, argument)) return std::nullopt;
  }
  return line;
}

bool is_bounded(const Call& call, const Line& line) {
  const auto argument = line.arguments[call.bound_argument];
  switch (call.bound) {
    case Bound::none:
      return false;
    case Bound::always:
      return true;
    case Bound::pointer:
      return argument != 0;
    case Bound::number:
      return static_cast<std::int32_t>(argument) >= 0;
  }
  return false;
}

bool is_for_child(long number) { return number == SYS_wait4 || number == SYS_waitid || number == SYS_vfork; }

std::string file_behind(const std::string& process, int fd) {
  std::error_code ignored;
  return fs::read_symlink("/proc/" + process + "/fd/" + std::to_string(fd), ignored).string();
}

std::string name_of_file(const std::string& file) {
  if (file.empty()) return "a file";
  if (file.starts_with("pipe:")) return "a pipe";
  if (file.starts_with("socket:")) return socket_name(file);
  if (file.starts_with("/dev/pts/") || file.starts_with("/dev/tty")) return "the terminal";
  return "'" + file + "'";
}

std::string awaited(const WaitingCall& call, pid_t process) {
  if (call.fd >= 0) return name_of_file(file_behind(std::to_string(process), call.fd));
  if (call.name == "futex") return "a lock, a queue or another thread";
  if (call.name == "open" || call.name == "openat") return "a file that can't be opened yet";
  if (call.is_for_child) return "a child process";
  if (call.is_bounded && (call.name.find("sleep") != std::string_view::npos || call.name == "restart_syscall")) {
    return "time to pass";
  }
  return "an event";
}

}  // namespace

std::optional<WaitingCall> parse_waiting_call(std::string_view text) {
  const auto line = parse_line(text);
  if (!line) return std::nullopt;
  const auto call = std::ranges::find(kCalls, line->number, &Call::number);
  if (call == std::end(kCalls)) return std::nullopt;
  return WaitingCall{.name = call->name,
                     .fd = call->has_fd ? static_cast<int>(line->arguments[0]) : -1,
                     .is_bounded = is_bounded(*call, *line),
                     .is_for_child = is_for_child(call->number)};
}

std::optional<WaitingCall> waiting_call(pid_t process, pid_t thread) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/syscall");
  std::string line;
  return std::getline(file, line) ? parse_waiting_call(line) : std::nullopt;
}

bool waits_for_our_reader(const WaitingCall& call, pid_t process) {
  if (!call.name.starts_with("write") || call.fd < 0) return false;
  const auto file = file_behind(std::to_string(process), call.fd);
  return !file.empty() && (file == file_behind("self", STDOUT_FILENO) || file == file_behind("self", STDERR_FILENO));
}

std::string describe(const WaitingCall& call, pid_t process) {
  return awaited(call, process) + " (" + std::string(call.name) + ")";
}

}  // namespace dryfit::launch
