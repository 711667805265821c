// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "base/check.h"

namespace dryfit::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

struct Replaced {
  int number;
  struct sigaction before;
};

int queue[2] = {-1, -1};
std::vector<Replaced> replaced;

void enqueue(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const bool terminal = info->si_code == SI_KERNEL;
  const CaughtSignal caught{number, terminal ? launch::SignalOrigin::terminal : launch::SignalOrigin::process};
  [[maybe_unused]] const ssize_t written = ::write(queue[1], &caught, sizeof caught);
  errno = saved;
}

void replace(int number, const struct sigaction& action) {
  Replaced old{number, {}};
  ::sigaction(number, &action, &old.before);
  replaced.push_back(old);
}

void catch_unless_ignored(int number) {
  struct sigaction old{};
  ::sigaction(number, nullptr, &old);
  if (old.sa_handler == SIG_IGN && number != SIGCHLD) return;
  struct sigaction action{};
  action.sa_sigaction = enqueue;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  replace(number, action);
}

}  // namespace

SignalQueue::SignalQueue(std::initializer_list<int> more) {
  DRYFIT_CHECK(queue[0] == -1);
  DRYFIT_CHECK(::pipe2(queue, O_CLOEXEC | O_NONBLOCK) == 0);
  for (const int number : kSignals) catch_unless_ignored(number);
  for (const int number : more) catch_unless_ignored(number);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  replace(SIGPIPE, ignore);
}

SignalQueue::~SignalQueue() {
  for (const auto& [number, before] : replaced) ::sigaction(number, &before, nullptr);
  replaced.clear();
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
