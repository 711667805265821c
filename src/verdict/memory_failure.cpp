// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/memory_failure.h"

namespace dryfit::verdict {
namespace {

bool stepped_after_oom(const analysis::ProcessSummary& process) { return process.steps > process.last_oom_step; }

std::optional<MemoryFailure> oom_of(const analysis::ProcessSummary& process) {
  if (stepped_after_oom(process)) return std::nullopt;
  for (const auto& device : process.devices) {
    if (device.last_oom) return MemoryFailure{process.pid, device.slot, *device.last_oom, ""};
  }
  return std::nullopt;
}

bool refusal_counts(const analysis::ProcessSummary& process, const analysis::Refusal& refusal) {
  if (refusal.by_torch && process.hooks) return false;
  return process.steps == refusal.steps;
}

std::optional<MemoryFailure> refusal_of(const analysis::ProcessSummary& process) {
  for (const auto& device : process.devices) {
    if (!device.last_refusal || !refusal_counts(process, *device.last_refusal)) continue;
    const auto& refusal = *device.last_refusal;
    return MemoryFailure{process.pid, device.slot, refusal.request, refusal.by_torch ? "" : refusal.library};
  }
  return std::nullopt;
}

}  // namespace

bool failed(const RunFacts& facts) {
  if (facts.ended_by_us || facts.timed_out || facts.interrupted) return false;
  return facts.signal || facts.exit_code.value_or(0) != 0;
}

std::optional<MemoryFailure> decisive_failure(const RunFacts& facts) {
  for (const auto& process : facts.processes) {
    if (auto oom = oom_of(process)) return oom;
  }
  if (!failed(facts)) return std::nullopt;
  for (const auto& process : facts.processes) {
    if (auto refusal = refusal_of(process)) return refusal;
  }
  return std::nullopt;
}

bool survived_oom(const RunFacts& facts) {
  for (const auto& process : facts.processes) {
    for (const auto& device : process.devices) {
      if (device.last_oom && stepped_after_oom(process)) return true;
    }
  }
  return false;
}

}  // namespace dryfit::verdict
