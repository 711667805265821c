// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/gpu_meter.h"

#include <algorithm>

#include "meter/process_tree.h"

namespace dryfit::meter {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRestPerWork = 20;

}  // namespace

void GpuTally::add(std::span<const GpuProcess> processes, const std::function<bool(pid_t)>& counts) {
  std::map<std::size_t, Bytes> sums;
  for (const auto& process : processes) {
    if (!counts(process.pid)) continue;
    sums[process.device] += process.used;
    seen_.emplace(process.device, process.pid);
  }
  for (const auto& [device, sum] : sums) peaks_[device] = std::max(peaks_[device], sum);
}

std::optional<GpuPeak> GpuTally::fullest(
    const std::function<std::string(std::size_t)>& name,
    const std::function<std::optional<Bytes>(std::size_t, pid_t)>& accounted) const {
  std::map<std::size_t, GpuPeak> peaks;
  for (const auto& [device, peak] : peaks_) peaks[device] = {name(device), peak, false};
  for (const auto& [device, pid] : seen_) {
    const auto most = accounted(device, pid);
    if (most && *most >= peaks[device].peak) peaks[device] = {name(device), *most, true};
  }
  const auto most = std::ranges::max_element(peaks, {}, [](const auto& each) { return each.second.peak; });
  if (most == peaks.end() || most->second.peak == Bytes{0}) return std::nullopt;
  return most->second;
}

GpuMeter::GpuMeter(pid_t root, std::string library, std::chrono::milliseconds interval)
    : root_(root),
      library_(std::move(library)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { measure(stop); }) {}

void GpuMeter::measure(const std::stop_token& stop) {
  const auto nvml = Nvml::open(library_);
  if (!nvml) {
    findings_.missing = nvml.error().what;
    return;
  }
  sample_until(stop, *nvml);
  findings_.fullest = tally_.fullest([&](std::size_t device) { return nvml->name(device); },
                                     [&](std::size_t device, pid_t pid) { return nvml->accounted_peak(device, pid); });
  if (!findings_.fullest) findings_.missing = "NVML saw no process of the command on a GPU";
}

void GpuMeter::sample_until(const std::stop_token& stop, const Nvml& nvml) {
  while (!stop.stop_requested()) {
    const auto begin = Clock::now();
    tally_.add(nvml.processes(), [this](pid_t pid) { return descends_from(pid, root_); });
    const auto took = Clock::now() - begin;
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, std::max<Clock::duration>(interval_, kRestPerWork * took), [] { return false; });
  }
}

GpuFindings GpuMeter::finish() {
  thread_.request_stop();
  thread_.join();
  return std::move(findings_);
}

}  // namespace dryfit::meter
