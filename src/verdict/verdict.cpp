// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

#include <algorithm>

#include "verdict/device_total.h"
#include "verdict/doubts.h"
#include "verdict/memory_failure.h"

namespace dryfit::verdict {
namespace {

std::uint64_t most_steps(const RunFacts& facts) {
  std::uint64_t steps = 0;
  for (const auto& process : facts.processes) steps = std::max(steps, process.steps);
  return steps;
}

std::map<std::string, std::string> software_of(const RunFacts& facts) {
  static constexpr std::string_view kPrefix = "software.";
  std::map<std::string, std::string> software;
  for (const auto& process : facts.processes) {
    for (const auto& [key, value] : process.notes) {
      if (key.starts_with(kPrefix)) software.emplace(key.substr(kPrefix.size()), value);
    }
  }
  return software;
}

Diagnostics diagnostics_of(const RunFacts& facts, std::span<const DeviceTotal> devices) {
  Diagnostics all;
  for (const auto& process : facts.processes) all.merge(process.diagnostics);
  for (const auto& total : devices) {
    if (total.processes > 1) all.add("processes_share_device");
  }
  return all;
}

void fill_device(Verdict& verdict, const analysis::DeviceSummary& device) {
  verdict.device_used = true;
  verdict.device_peak = device.peak;
  verdict.peak_at = device.peak_at;
  verdict.reserved_at_peak = device.peak_torch_reserved;
  verdict.libraries = device.peak_libraries;
  verdict.context = device.peak_context;
  verdict.code = device.peak_code;
  verdict.library_parts = device.libraries;
  verdict.torch_peak_reserved = device.torch_peak_reserved;
  verdict.torch_peak_allocated = device.torch_peak_allocated;
  verdict.torch_reserved_after_load = device.torch_reserved_after_load;
  verdict.alloc_retries = device.alloc_retries;
  verdict.ooms = device.ooms;
}

const DeviceTotal* device_of(std::span<const DeviceTotal> devices, const MemoryFailure& failure) {
  const auto found = std::ranges::find(devices, failure.device, [](const auto& t) { return t.device.ordinal; });
  return found == devices.end() ? nullptr : &*found;
}

void refuse(Verdict& verdict, const MemoryFailure& failure) {
  verdict.answer = Answer::does_not_fit;
  verdict.oom = failure.request;
  verdict.reason = failure.library.empty()
                       ? "PyTorch ran out of device memory"
                       : "the driver had no memory left for " + failure.library + ", and the program failed";
}

void accept(Verdict& verdict, const RunFacts& facts) {
  verdict.answer = Answer::fits;
  if (facts.timed_out) verdict.diagnostics.add("stopped_by_timeout");
  if (facts.ended_by_us && verdict.peak_at.step >= verdict.steps) verdict.diagnostics.add("peak_in_last_step");
  if (!survived_oom(facts)) return;
  verdict.diagnostics.add("oom_handled_by_script");
  verdict.reason = "the program ran out of memory, handled it itself and went on";
}

}  // namespace

Verdict judge(const Card& card, const RunFacts& facts) {
  const auto devices = add_up(facts.processes);
  const auto failure = facts.interrupted ? std::nullopt : decisive_failure(facts);

  Verdict verdict;
  verdict.card = card;
  verdict.capacity = card.total_memory;
  verdict.steps = most_steps(facts);
  verdict.seconds = facts.seconds;
  verdict.host_peak_rss = facts.host_peak_rss;
  verdict.software = software_of(facts);
  verdict.diagnostics = diagnostics_of(facts, devices);

  const auto* worst = failure ? device_of(devices, *failure) : fullest(devices);
  if (worst) fill_device(verdict, worst->device);
  verdict.headroom =
      static_cast<std::int64_t>(verdict.capacity.count) - static_cast<std::int64_t>(verdict.device_peak.count);

  if (failure) {
    refuse(verdict, *failure);
  } else if (auto doubt = first_doubt({card, facts, devices, verdict.steps})) {
    verdict.answer = Answer::cannot_tell;
    verdict.reason = std::move(doubt->reason);
    verdict.hint = std::move(doubt->hint);
  } else {
    accept(verdict, facts);
  }
  return verdict;
}

int exit_code(std::span<const Verdict> verdicts) {
  const auto any = [&](Answer answer) {
    return std::ranges::find(verdicts, answer, &Verdict::answer) != verdicts.end();
  };
  if (any(Answer::does_not_fit)) return 3;
  return verdicts.empty() || any(Answer::cannot_tell) ? 1 : 0;
}

}  // namespace dryfit::verdict
