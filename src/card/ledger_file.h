// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace dryfit {

/// The bytes of the ledger (card/memory_ledger.h): a file beside the machine file, mapped by all processes of a run. Zeros
/// are an empty ledger, so whoever comes first makes it, and two may do so at once.
namespace ledger {

inline constexpr int kDevices = 64;  ///< of a machine
inline constexpr int kSlots = 256;   ///< processes that hold memory at the same time

enum class State : std::uint32_t {
  free = 0,
  held = 1,      ///< by a process that is running, or has ended since
  finished = 2,  ///< its process was ended on purpose: Note [Ended on purpose] in card/memory_ledger.h
};

struct Slot {
  std::atomic<std::uint64_t> process;  ///< ProcessIdentity::packed
  std::atomic<State> state;
  std::atomic<std::uint32_t> finished_at;  ///< ticks_now() then
  std::atomic<std::uint64_t> held[kDevices];
};

struct Header {
  std::atomic<std::uint64_t> owner;                    ///< of the lock: ProcessIdentity::packed; 0: nobody
  std::atomic<std::uint64_t> pid_namespace;            ///< that all pids here belong to
  std::atomic<std::uint64_t> slots_used;               ///< slots from here on have never been taken
  std::atomic<std::uint64_t> checked_up_to[kDevices];  ///< the largest sum for which all holders were seen running
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<State>::is_always_lock_free);

struct Whole {
  Header header;
  Slot slots[kSlots];
};

/// Maps the file, after making it if it is missing; never unmapped by us. Null if it cannot be used, with the reason in
/// words.
Whole* open(const char* path, std::string& problem);

/// Maps the file to read it. Null if there is no whole one.
const Whole* open_to_read(const char* path) noexcept;

/// "<folder of the machine file>/ledger"
std::string path_beside(const char* machine_file);

}  // namespace ledger
}  // namespace dryfit
