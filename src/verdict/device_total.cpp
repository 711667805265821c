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

}  // namespace

std::vector<DeviceTotal> add_up(std::span<const analysis::ProcessSummary> processes,
                                std::span<const analysis::SharedDevice> shared) {
  std::map<std::uint32_t, DeviceTotal> totals;
  std::map<std::uint32_t, Bytes> largest;
  for (const auto& process : processes) {
    for (const auto& device : process.devices) {
      auto& total = totals[device.slot];
      if (total.processes++ == 0) {
        total.device = device;
        largest[device.slot] = device.peak;
        continue;
      }
      if (device.peak > largest[device.slot]) {
        largest[device.slot] = device.peak;
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
