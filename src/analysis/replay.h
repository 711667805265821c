// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device_ledger.h"
#include "analysis/run_summary.h"
#include "trace/events.h"

namespace dryfit::analysis {

/// Goes through the events of one process in order and keeps the state they lead to. Imperfect events (an address freed
/// twice) are counted as diagnostics and otherwise ignored.
class Replay {
 public:
  void apply(const trace::Event& event);

  /// Where the program is now: "load" until the first phase is announced; step 0 until the first forward.
  const Moment& now() const { return now_; }

  /// Bytes in use now, on the device that holds most.
  Bytes used() const;

  /// What the process holds of the device with that number in the machine; null if it has not touched it.
  const DeviceLedger* device_in_slot(std::uint32_t slot) const;

  /// The text of a name that an event has referred to.
  const std::string& text(trace::NameId id) const;

  /// Everything learned so far. pid and completeness are the caller's to fill.
  ProcessSummary summary() const;

 private:
  void on(const trace::Name& event);
  void on(const trace::Device& event);
  void on(const trace::Allocate& event);
  void on(const trace::Release& event);
  void on(const trace::AllocateFailed& event);
  void on(const trace::ModuleLoaded&) {}
  void on(const trace::KernelLoaded& event);
  void on(const trace::Counter& event);
  void on(const trace::Phase& event);
  void on(const trace::Step& event);
  void on(const trace::Note& event);
  void on(const trace::Value& event);
  void on(const trace::OutOfMemory& event);
  void on(const trace::Assumed& event);

  DeviceLedger& ledger(std::uint32_t ordinal);
  void update_step();
  void count_flops(const std::string& key, std::uint64_t number);

  std::map<trace::NameId, std::string> names_;
  std::map<std::uint32_t, DeviceLedger> ledgers_;
  std::map<std::uint32_t, std::vector<Holder>> others_;  ///< by ordinal, for the refusal that comes next
  Moment now_{0, "load"};
  ProcessSummary process_;
  std::map<std::pair<trace::NameId, trace::NameId>, std::size_t> assumption_at_;  ///< index into its assumptions
};

}  // namespace dryfit::analysis
