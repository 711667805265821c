// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "folders_at_exit.h"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "launch/remove_tree.h"

namespace dryfit::cli {
namespace {

constexpr std::size_t kMostFolders = 64;
constexpr std::size_t kLongestPath = 4096;
constexpr int kEndings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// What a signal handler may read: it takes no lock and allocates nothing.
struct Place {
  std::atomic<bool> used{false};
  char path[kLongestPath];
};

std::mutex changing;  ///< the doomed; not taken by the handler
Place doomed[kMostFolders];
pid_t doomed_by = 0;
std::size_t in_use = 0;

struct Before {
  int signal;
  struct sigaction action;
};
std::vector<Before> taken_over;

/// Only system calls: a signal handler may not use the C library's functions for folders.
void remove_and_end(int signal) {
  if (::getpid() == doomed_by) {
    for (auto& place : doomed) {
      if (place.used) launch::remove_tree(place.path);
    }
  }
  struct sigaction end{};
  end.sa_handler = SIG_DFL;
  ::sigaction(signal, &end, nullptr);
  ::raise(signal);
}

void take_over(int signal, void (*handler)(int)) {
  Before old{signal, {}};
  ::sigaction(signal, nullptr, &old.action);
  if (old.action.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
  taken_over.push_back(old);
}

void take_signals() {
  doomed_by = ::getpid();
  for (const int signal : kEndings) take_over(signal, remove_and_end);
  take_over(SIGPIPE, SIG_IGN);
}

void give_signals_back() {
  for (const auto& [signal, action] : taken_over) ::sigaction(signal, &action, nullptr);
  taken_over.clear();
}

}  // namespace

void FoldersAtExit::add(const std::string& folder) {
  if (folder.size() >= kLongestPath) return;
  const std::lock_guard lock(changing);
  for (auto& place : doomed) {
    if (place.used) continue;
    std::memcpy(place.path, folder.c_str(), folder.size() + 1);
    place.used = true;
    if (in_use++ == 0) take_signals();
    return;
  }
}

void FoldersAtExit::drop(const std::string& folder) {
  const std::lock_guard lock(changing);
  for (auto& place : doomed) {
    if (!place.used || folder != place.path) continue;
    place.used = false;
    if (--in_use == 0) give_signals_back();
    return;
  }
}

FoldersAtExit::Undisturbed::Undisturbed() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

FoldersAtExit::Undisturbed::~Undisturbed() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace dryfit::cli
