// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "card/memory_ledger.h"
#include "trace/events.h"

namespace dryfit::driver {

/// One device in the ledger of the run (Note [The ledger] in card/memory_ledger.h), as this process draws on it. Records
/// what it learns of the other processes; a process that is alone records nothing here. Not thread-safe; the driver's
/// lock guards it.
class Account {
 public:
  /// `slot` is the device's number in the machine, `ordinal` the program's.
  Account(MemoryLedger& ledger, int ordinal, int slot, Bytes capacity);

  /// Needed around the functions below; what is recorded meanwhile is in the order of all processes' requests. The first
  /// one joins the ledger.
  MemoryLedger::Turn turn();

  /// False, and recorded with what the others hold, if the device is too full.
  bool take(Bytes charged, Bytes requested, trace::NameId library);
  void give(Bytes charged);

  Bytes own() const { return own_; }
  /// In use by all processes.
  Bytes used();

 private:
  void join();
  void record_ended();
  void record_refusal(Bytes requested, trace::NameId library);

  MemoryLedger& ledger_;
  int ordinal_;
  int slot_;
  Bytes capacity_;
  Bytes own_;
};

}  // namespace dryfit::driver
