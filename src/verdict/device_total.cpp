// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/device_total.h"

#include <algorithm>
#include <map>

namespace dryfit::verdict {
namespace {

void add(std::optional<Bytes>& sum, const std::optional<Bytes>& more) {
  if (more) sum = sum.value_or(Bytes{}) + *more;
}

/// The parts of a peak, added to those of another process on the same device.
void add_peak(analysis::DeviceSummary& sum, const analysis::DeviceSummary& more) {
  sum.peak += more.peak;
  sum.peak_torch_reserved += more.peak_torch_reserved;
  sum.peak_libraries += more.peak_libraries;
  sum.peak_context += more.peak_context;
  sum.peak_code += more.peak_code;
  for (const auto& [library, bytes] : more.libraries) sum.libraries[library] += bytes;
}

void add_torch_numbers(analysis::DeviceSummary& sum, const analysis::DeviceSummary& more) {
  add(sum.torch_peak_reserved, more.torch_peak_reserved);
  add(sum.torch_peak_allocated, more.torch_peak_allocated);
  add(sum.torch_reserved_after_load, more.torch_reserved_after_load);
  sum.alloc_retries += more.alloc_retries;
  sum.ooms += more.ooms;
}

void use_common_peak(DeviceTotal& total, const analysis::SharedDevice& shared) {
  auto& device = total.device;
  device.peak = shared.peak.peak;
  device.peak_at = shared.peak.peak_at;
  device.peak_torch_reserved = shared.peak.peak_torch_reserved;
  device.peak_libraries = shared.peak.peak_libraries;
  device.peak_context = shared.peak.peak_context;
  device.peak_code = shared.peak.peak_code;
  device.libraries = shared.peak.libraries;
  total.shared = &shared;
}

/// The programs that one process ran, one after the other.
using Life = std::vector<const analysis::ProcessSummary*>;

bool comes_after(const analysis::ProcessSummary& process, const Life& life) {
  return process.pid != 0 && process.pid == life.back()->pid && process.began > life.back()->last_event;
}

std::vector<Life> lives_of(std::span<const analysis::ProcessSummary> processes) {
  std::vector<Life> lives;
  for (const auto& process : processes) {
    const auto before = std::ranges::find_if(lives, [&](const Life& life) { return comes_after(process, life); });
    if (before == lives.end()) {
      lives.push_back({&process});
    } else {
      before->push_back(&process);
    }
  }
  return lives;
}

void use_larger(std::optional<Bytes>& value, const std::optional<Bytes>& other) {
  if (other) value = std::max(value.value_or(Bytes{}), *other);
}

/// Two programs that the same process ran, one after the other: the numbers of the one that took more.
analysis::DeviceSummary one_after_the_other(const analysis::DeviceSummary& a, const analysis::DeviceSummary& b) {
  auto result = b.peak > a.peak ? b : a;
  const auto& other = b.peak > a.peak ? a : b;
  use_larger(result.torch_peak_reserved, other.torch_peak_reserved);
  use_larger(result.torch_peak_allocated, other.torch_peak_allocated);
  use_larger(result.torch_reserved_after_load, other.torch_reserved_after_load);
  result.alloc_retries += other.alloc_retries;
  result.ooms += other.ooms;
  return result;
}

/// By slot.
std::map<std::uint32_t, analysis::DeviceSummary> devices_of(const Life& life) {
  std::map<std::uint32_t, analysis::DeviceSummary> devices;
  for (const auto* process : life) {
    for (const auto& device : process->devices) {
      const auto [known, is_new] = devices.try_emplace(device.slot, device);
      if (!is_new) known->second = one_after_the_other(known->second, device);
    }
  }
  return devices;
}

}  // namespace

std::vector<DeviceTotal> add_up(std::span<const analysis::ProcessSummary> processes,
                                std::span<const analysis::SharedDevice> shared) {
  std::map<std::uint32_t, DeviceTotal> totals;
  std::map<std::uint32_t, Bytes> largest;
  for (const auto& life : lives_of(processes)) {
    for (const auto& [slot, device] : devices_of(life)) {
      auto& total = totals[slot];
      if (total.processes++ == 0) {
        total.device = device;
        largest[slot] = device.peak;
        continue;
      }
      if (device.peak > largest[slot]) {
        largest[slot] = device.peak;
        total.device.peak_at = device.peak_at;
      }
      add_peak(total.device, device);
      add_torch_numbers(total.device, device);
    }
  }
  for (const auto& device : shared) use_common_peak(totals[device.slot], device);
  std::vector<DeviceTotal> result;
  for (auto& [slot, total] : totals) result.push_back(std::move(total));
  return result;
}

const DeviceTotal* fullest(std::span<const DeviceTotal> totals) {
  const auto found = std::ranges::max_element(totals, {}, [](const DeviceTotal& total) { return total.device.peak; });
  return found == totals.end() ? nullptr : &*found;
}

}  // namespace dryfit::verdict
