// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "card/machine.h"
#include "card/memory_ledger.h"
#include "driver/cuda/allocation_table.h"
#include "driver/cuda/api.h"
#include "driver/cuda/device.h"
#include "driver/cuda/shadow.h"

namespace dryfit::driver {

/// The modelled machine of this process. One object, made on first use and never destroyed: libraries call the driver
/// from their exit handlers.
///
/// Note [One lock]. A single mutex guards all state. The calls are short, and a single lock is the only kind that can
/// be made safe around a fork: it is taken before the fork and released on both sides.
///
/// Note [Fork]. As with a real driver, a child of a process that has initialised CUDA cannot use it: every call in it
/// returns CUDA_ERROR_NOT_INITIALIZED. A child forked earlier starts afresh, with a capture of its own.
class Driver {
 public:
  /// Reads the machine file and makes the devices; returns the result of cuInit.
  CUresult initialise();
  bool initialised() const { return initialised_; }

  int version() const { return machine_.driver_version; }
  int device_count() const { return initialised_ ? static_cast<int>(devices_.size()) : 0; }
  /// Null for an ordinal that does not exist, and before initialise().
  Device* device(CUdevice ordinal);
  /// The device with that number in the machine; null if the program does not see it.
  Device* device_in_slot(int slot);
  /// The device an address of the modelled machine belongs to; null for host addresses.
  Device* device_of(Address address);

  std::mutex mutex;
  MemoryLedger ledger;
  AllocationTable allocations;
  Shadow shadow;
  std::atomic<std::uint64_t> clock_ns{0};  ///< Note [Virtual time]: how long all work submitted so far would take

 private:
  friend Driver& instance();
  Driver();
  void make_devices();
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  Machine machine_;
  std::vector<std::unique_ptr<Device>> devices_;  ///< fixed once initialised_ is set
  std::atomic<bool> initialised_{false};
  bool unusable_after_fork_ = false;
};

Driver& instance();

/// Ids of contexts, streams, captures: unique in the process.
std::uint64_t next_id();

using Lock = std::lock_guard<std::mutex>;

/// The context stack of the calling thread.
Context* current_context();
bool push_context(Context* context);
Context* pop_context();
void set_current_context(Context* context);
/// The device of the current context; null when there is none.
Device* current_device();

}  // namespace dryfit::driver
