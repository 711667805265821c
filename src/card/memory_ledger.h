// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "card/ledger_file.h"
#include "card/process_identity.h"

namespace dryfit {

/// What one process holds of a device.
struct Holding {
  std::uint32_t pid = 0;
  Bytes held;
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// How much of each device of the machine the processes of a run hold. Devices are numbered as in Machine::cards.
///
/// Note [The ledger]. Every process has a slot in a file that all of them map, and writes into no other: what it holds of
/// each device. What is in use on a device is the sum of the slots, computed at each request, so there is no total that
/// could disagree. One lock, a word in the file, orders the requests. A process may die at any instruction, also while it
/// has the lock: each change is one store, so the slots are whole at any moment. Others that wait for the lock take it
/// from an owner that has ended, and the slot of a process that has ended counts no more: whoever needs the memory, or
/// shows how much is in use, looks whether its holders are still running, and empties the slots of those that are not.
///
/// Note [Ended on purpose]. After the requested steps a process is ended by us; on a GPU it would have continued, and
/// held its memory. So that memory stays in use for every process that was there already, and is free for one that is
/// started later: a script that runs one job after the other.
///
/// Invariant: a process takes memory only while the sum, its request included, is at most the device's capacity.
///
/// Until join() this object counts for itself, in memory of its own, as it does if join() fails. Not thread-safe. Nothing
/// throws, but for want of host memory.
class MemoryLedger {
 public:
  MemoryLedger() = default;
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  struct Joined {
    std::string problem;                ///< why it could not join, in words; empty: it did
    std::vector<std::uint32_t> others;  ///< pids of processes in the ledger, whether they hold memory or not
  };
  /// Only before anything is taken. Once in the life of a process.
  Joined join(const char* path);
  bool tried_to_join() const { return tried_; }

  /// Keeps other processes from changing anything while it lives: what its owner writes down about a request is then in
  /// the order of the requests. The functions below need one.
  class Turn {
   public:
    explicit Turn(MemoryLedger& ledger) noexcept : ledger_(ledger) { ledger_.lock(); }
    ~Turn() { ledger_.unlock(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    MemoryLedger& ledger_;
  };

  /// False, and nothing changes, if less than `size` of the device's `capacity` is free.
  bool take(int device, Bytes size, Bytes capacity);
  void give(int device, Bytes size) noexcept;

  /// In use on the device, by all processes.
  Bytes used(int device);
  /// The other processes that hold memory of the device, as of the last take() that failed or used().
  std::vector<Holding> others(int device) const;

  /// The processes whose end was noticed since the last call.
  std::vector<std::uint32_t> take_ended() { return std::exchange(ended_, {}); }

  /// This process ends now, on purpose.
  void finish() noexcept;

  /// In the child of a fork: the slot is the parent's. The child starts with a ledger of its own.
  void forget() noexcept;

 private:
  struct Alone {
    ledger::Header header{};
    ledger::Slot slot{};
  };

  void lock() noexcept;
  void unlock() noexcept;
  std::span<ledger::Slot> slots() const noexcept;
  bool counts(const ledger::Slot& slot) const noexcept;
  Bytes held_by_others(int device) const noexcept;
  void remove_ended(int device);
  void remove(ledger::Slot& slot);
  Joined enter();
  std::string claim_slot();
  ledger::Slot* free_slot();

  Alone alone_;
  ledger::Whole* shared_ = nullptr;
  ledger::Header* header_ = &alone_.header;
  ledger::Slot* own_ = &alone_.slot;
  ProcessIdentity self_;
  bool tried_ = false;
  std::vector<std::uint32_t> ended_;
};

/// What processes hold of a device, as one of them that only looks on sees it. Takes no lock.
std::vector<Holding> holdings(const ledger::Whole& file, int device, ProcessIdentity viewer);

}  // namespace dryfit
