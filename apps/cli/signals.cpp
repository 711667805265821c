// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/check.h"

namespace dryfit::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

int queue[2] = {-1, -1};
struct sigaction before[std::size(kSignals)];
struct sigaction pipe_before;

void enqueue(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const bool terminal = info->si_code == SI_KERNEL;
  const CaughtSignal caught{number, terminal ? launch::SignalOrigin::terminal : launch::SignalOrigin::process};
  [[maybe_unused]] const ssize_t written = ::write(queue[1], &caught, sizeof caught);
  errno = saved;
}

void catch_unless_ignored(int number, struct sigaction& old) {
  ::sigaction(number, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return;
  struct sigaction action{};
  action.sa_sigaction = enqueue;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

SignalQueue::SignalQueue() {
  DRYFIT_CHECK(queue[0] == -1);
  DRYFIT_CHECK(::pipe2(queue, O_CLOEXEC | O_NONBLOCK) == 0);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) catch_unless_ignored(kSignals[i], before[i]);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &pipe_before);
}

SignalQueue::~SignalQueue() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
  ::sigaction(SIGPIPE, &pipe_before, nullptr);
  for (int& fd : queue) {
    ::close(fd);
    fd = -1;
  }
}

int SignalQueue::wait_fd() const { return queue[0]; }

std::optional<CaughtSignal> SignalQueue::next() {
  CaughtSignal caught;
  if (::read(queue[0], &caught, sizeof caught) != sizeof caught) return std::nullopt;
  return caught;
}

}  // namespace dryfit::cli
