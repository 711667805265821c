// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "folders_at_exit.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

namespace dryfit::cli {
namespace {

constexpr std::size_t kMostFolders = 64;
constexpr std::size_t kLongestPath = 4096;
constexpr int kDeepest = 32;
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

/// An entry of a folder, as getdents64(2) writes it.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

void remove_below(int folder, int depth);

/// Only system calls: a signal handler may not use the C library's functions for folders.
void remove_entry(int folder, const char* name, int depth) {
  if (::unlinkat(folder, name, 0) == 0 || depth == 0) return;
  const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return;
  remove_below(inner, depth - 1);
  ::close(inner);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

void remove_below(int folder, int depth) {
  alignas(DirectoryEntry) char buffer[2048];
  for (long size; (size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      if (!is_dots(entry->name)) remove_entry(folder, entry->name, depth);
      at += entry->size;
    }
  }
}

void remove_and_end(int signal) {
  if (::getpid() == doomed_by) {
    for (auto& place : doomed) {
      if (place.used) remove_entry(AT_FDCWD, place.path, kDeepest);
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
