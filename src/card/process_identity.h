// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace dryfit {

/// A process of this machine. Its start tells it apart from a later process with the same pid, but not from the program
/// that it becomes by exec.
struct ProcessIdentity {
  std::uint32_t pid = 0;
  std::uint32_t start = 0;  ///< in ticks of the system's clock since the machine started

  std::uint64_t packed() const { return std::uint64_t{start} << 32 | pid; }
  static ProcessIdentity unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// Nothing if there is no such process, if it has ended but was not waited for yet, or if /proc does not show it.
std::optional<ProcessIdentity> identity_of(pid_t pid) noexcept;

/// False only if that process has certainly ended.
bool is_running(ProcessIdentity process) noexcept;

/// The time on the clock that ProcessIdentity::start is read from.
std::uint32_t ticks_now() noexcept;

}  // namespace dryfit
