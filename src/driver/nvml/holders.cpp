// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/holders.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "driver/nvml/cuda_library.h"

namespace dryfit::nvml {
namespace {

/// Null until a process of the run has taken memory. Threads may look at the same time: a mapping too many is harmless.
const ledger::Whole* ledger_of_the_run() {
  static std::atomic<const ledger::Whole*> found = nullptr;
  if (const auto* file = found.load(std::memory_order_acquire)) return file;
  const char* const machine = std::getenv("DRYFIT_MACHINE");
  const auto* const file = machine ? ledger::open_to_read(ledger::path_beside(machine).c_str()) : nullptr;
  if (file) found.store(file, std::memory_order_release);
  return file;
}

}  // namespace

std::vector<Holding> holders_of(int ordinal) {
  const auto* const file = ledger_of_the_run();
  const auto self = identity_of(getpid());
  if (file && self && ordinal < ledger::kDevices) return holdings(*file, ordinal, *self);
  const Bytes used = memory_used_by_cuda(ordinal);
  if (used == Bytes{}) return {};
  return {{static_cast<std::uint32_t>(getpid()), used}};
}

}  // namespace dryfit::nvml
