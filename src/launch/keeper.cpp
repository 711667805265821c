// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "launch/command.h"

namespace dryfit::launch {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Keeps our signal handlers from running in the child between fork and exec.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

pid_t fork_keeper(const KeeperPlan& plan) {
  const AllSignalsBlocked blocked;
  const pid_t pid = ::fork();
  if (pid == 0) keep(plan);
  return pid;
}

/// Empty when the other end is closed.
std::optional<KeeperReport> receive(int channel, int flags) {
  KeeperReport report;
  ssize_t size;
  do {
    size = ::recv(channel, &report, sizeof report, flags);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof report) return std::nullopt;
  return report;
}

void reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int milliseconds_until(Keeper::Clock::time_point until) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest = std::chrono::hours(1);
  const auto left = std::chrono::ceil<milliseconds>(until - Keeper::Clock::now());
  return static_cast<int>(std::clamp(left, milliseconds(0), kLongest).count());
}

}  // namespace

Result<Keeper> Keeper::start(const Program& program) {
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  int standard_fds[3];
  for (int i = 0; i < 3; ++i) {
    const int given = program.standard_fds[i];
    const bool open = given >= 0 && given != nothing.get() && ::fcntl(given, F_GETFD) != -1;
    standard_fds[i] = open ? given : nothing.get();
  }
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return explain_refusal(program.file, errno);
  UniqueFd ours(pair[0]);
  UniqueFd theirs(pair[1]);

  const std::vector<char*> arguments = pointers_to(program.arguments);
  const std::vector<char*> environment = pointers_to(program.environment);
  WriteLayer* const layer = program.layer;
  const pid_t pid = fork_keeper({program.file.c_str(), arguments.data(), environment.data(), standard_fds, theirs.get(),
                                 layer ? layer->steps() : std::span<const LayerStep>(), layer ? layer->scratch() : ""});
  if (pid < 0) return explain_refusal(program.file, errno);
  theirs = UniqueFd();

  std::optional<KeeperReport> first = receive(ours.get(), 0);
  for (; first && first->kind == KeeperReport::Kind::layer; first = receive(ours.get(), 0)) layer->take(first->layer);
  if (first && first->kind == KeeperReport::Kind::started) return Keeper(pid, std::move(ours));
  ours = UniqueFd();
  reap(pid);
  return explain_refusal(program.file, first ? first->value : ECHILD);
}

Keeper::~Keeper() {
  if (!channel_) return;
  kill_tree();
  const auto until = Clock::now() + kKillPatience + std::chrono::seconds(1);
  while (!tree_gone_ && wait(until) != Wait::expired) {
  }
  channel_ = UniqueFd();
  if (tree_gone_) reap(pid_);
}

Keeper::Wait Keeper::wait(Clock::time_point until) {
  if (tree_gone_) return Wait::news;
  struct pollfd watched = {channel_.get(), POLLIN, 0};
  const int ready = ::poll(&watched, 1, milliseconds_until(until));
  if (ready < 0) return Wait::interrupted;
  if (ready == 0) return Wait::expired;
  if (const auto report = receive(channel_.get(), MSG_DONTWAIT)) {
    take(*report);
  } else {
    close_books();
  }
  return Wait::news;
}

void Keeper::take(const KeeperReport& report) {
  peak_rss_ = Bytes{static_cast<std::uint64_t>(report.peak_rss_kib) << 10};
  if (report.kind == KeeperReport::Kind::ended) status_ = report.value;
  if (report.kind == KeeperReport::Kind::gone) close_books();
}

/// No more reports will come. If the program's end was not reported, it was killed: with the keeper, by the
/// kernel, or by the keeper but has not ended yet.
void Keeper::close_books() {
  if (!status_) status_ = SIGKILL;
  tree_gone_ = true;
}

void Keeper::signal_program(int signal) { ::send(channel_.get(), &signal, sizeof signal, MSG_NOSIGNAL | MSG_DONTWAIT); }

void Keeper::kill_tree() { signal_program(kKillTree); }

}  // namespace dryfit::launch
