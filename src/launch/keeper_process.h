// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "launch/layer_steps.h"

/// The side of Note [The keeper] (launch/keeper.h) that runs in the keeper. It runs after a fork of a process that may
/// have other threads: it neither allocates nor locks, and calls nothing but the kernel.
namespace dryfit::launch {

/// From the keeper to us, one packet each: any number of `layer`, then `started` or `refused`; later `ended`, and last
/// of all `gone`.
struct KeeperReport {
  enum class Kind : std::int32_t {
    layer,    ///< a LayerNews came from the program's process
    started,  ///< the program runs
    refused,  ///< it could not be started; value: errno
    ended,    ///< the program has ended; value: status as of waitpid(2)
    gone,     ///< no process of the tree is left, or those left cannot be killed
  };
  Kind kind;
  std::int32_t value;
  std::int64_t peak_rss_kib;  ///< the largest of all processes reaped so far
  LayerNews layer{};
};

/// From us to the keeper, one packet each: a signal number for the program, or this.
constexpr std::int32_t kKillTree = 0;

/// How long the keeper tries to kill the tree: a process stuck in the kernel, or one of another user, stays.
constexpr std::chrono::seconds kKillPatience{5};

struct KeeperPlan {
  const char* file;
  char* const* arguments;
  char* const* environment;
  const int* standard_fds;
  int channel;                       ///< a SOCK_SEQPACKET socket
  std::span<const LayerStep> layer;  ///< on the way to the program; empty: none
  const char* scratch;               ///< to be removed at the very end; "": nothing
};

/// Starts the program and keeps its tree until the last process has ended. A program that cannot enter its layer is
/// started without one. With a scratch folder, it stays until we close the channel. To be called in a fresh fork, with
/// all signals blocked.
[[noreturn]] void keep(const KeeperPlan& plan);

}  // namespace dryfit::launch
