// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/account.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "driver/cuda/command_line.h"
#include "driver/cuda/recorder.h"

namespace dryfit::driver {
namespace {

std::string process_key(std::uint32_t pid) { return "process." + std::to_string(pid); }

void record_name(std::uint32_t pid) { recorder().note(process_key(pid), command_line(pid)); }

}  // namespace

Account::Account(MemoryLedger& ledger, int ordinal, int slot, Bytes capacity)
    : ledger_(ledger), ordinal_(ordinal), slot_(slot), capacity_(capacity) {}

MemoryLedger::Turn Account::turn() {
  if (!ledger_.tried_to_join()) join();
  return MemoryLedger::Turn(ledger_);
}

/// Whoever comes second names both.
void Account::join() {
  const char* const machine = std::getenv("DRYFIT_MACHINE");
  if (!machine) return;
  const auto joined = ledger_.join(ledger::path_beside(machine).c_str());
  if (!joined.problem.empty()) recorder().note("ledger.problem", joined.problem);
  record_ended();
  if (!joined.others.empty()) record_name(static_cast<std::uint32_t>(getpid()));
  for (const auto pid : joined.others) record_name(pid);
}

bool Account::take(Bytes charged, Bytes requested, trace::NameId library) {
  const bool taken = ledger_.take(slot_, charged, capacity_);
  record_ended();
  if (taken) {
    own_ += charged;
  } else {
    record_refusal(requested, library);
  }
  return taken;
}

void Account::give(Bytes charged) {
  own_ -= charged;
  ledger_.give(slot_, charged);
}

Bytes Account::used() {
  const Bytes all = ledger_.used(slot_);
  record_ended();
  return all;
}

void Account::record_ended() {
  for (const auto pid : ledger_.take_ended()) recorder().value("process.ended", -1, pid);
}

void Account::record_refusal(Bytes requested, trace::NameId library) {
  Bytes used = own_;
  for (const auto& other : ledger_.others(slot_)) {
    used += other.held;
    recorder().value(process_key(other.pid) + ".holds", ordinal_, other.held.count);
  }
  recorder().allocation_failed(ordinal_, requested, used, library);
}

}  // namespace dryfit::driver
