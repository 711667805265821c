// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

#include <algorithm>

#include "verdict/assumption_effect.h"
#include "verdict/caveats.h"
#include "verdict/device_total.h"
#include "verdict/doubts.h"
#include "verdict/memory_failure.h"
#include "verdict/sharing.h"

namespace dryfit::verdict {
namespace {

bool has_caveat(const Verdict& verdict, std::string_view name) {
  return std::ranges::find(verdict.caveats, name, &Caveat::name) != verdict.caveats.end();
}

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
  for (const auto* key : {"hooks.error", "values.not_followed"}) {
    const auto noted = [&](const auto& process) { return process.notes.contains(key); };
    if (std::ranges::any_of(facts.processes, noted)) all.add(key);
  }
  return all;
}

/// By what they can change.
std::vector<analysis::Assumption> assumptions_of(const RunFacts& facts) {
  std::vector<analysis::Assumption> all;
  for (const auto& process : facts.processes) {
    all.insert(all.end(), process.assumptions.begin(), process.assumptions.end());
  }
  std::ranges::stable_sort(all, {}, effect_of);
  return all;
}

/// The autotuners that the hooks saw at work, in words.
std::vector<std::string> tuning_of(const RunFacts& facts) {
  static constexpr std::pair<std::string_view, std::string_view> kTuners[] = {
      {"tuning.cudnn_benchmark", "torch.backends.cudnn.benchmark"},
      {"tuning.inductor_autotune", "torch.compile's autotuner"},
      {"tuning.triton_autotune", "Triton's autotuner"},
  };
  std::vector<std::string> found;
  for (const auto& [key, words] : kTuners) {
    const auto used = [&](const auto& process) { return process.notes.contains(std::string(key)); };
    if (std::ranges::any_of(facts.processes, used)) found.emplace_back(words);
  }
  return found;
}

/// Each process on the device has a context of its own, as uncertain as the others.
void fill_interval(Verdict& verdict, int processes) {
  const Bytes counted = verdict.libraries + verdict.code;
  const Bytes outside = counted + verdict.context;
  const Bytes spread = verdict.card.context_spread * static_cast<std::uint64_t>(processes);
  verdict.outside_low = outside > counted + spread ? outside - spread : counted;
  verdict.outside_high = outside + spread;
  verdict.device_peak_low = verdict.reserved_at_peak + verdict.outside_low;
  verdict.device_peak_high = verdict.reserved_at_peak + verdict.outside_high;
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
  const auto found = std::ranges::find(devices, failure.slot, [](const auto& t) { return t.device.slot; });
  return found == devices.end() ? nullptr : &*found;
}

/// Why a job with a failed request does not fit.
std::string reason_of(const Verdict& verdict) {
  if (!verdict.oom_library.empty()) return verdict.oom_library + " failed to allocate memory, and the program failed";
  if (is_stopped_by_cap(verdict)) return "PyTorch's allocator reached its cap of " + to_text(*verdict.cap);
  return "PyTorch ran out of device memory";
}

void refuse(Verdict& verdict, const RunFacts& facts, const MemoryFailure& failure, const DeviceTotal* device) {
  verdict.answer = Answer::does_not_fit;
  if (device) verdict.caveats = caveats_of_failure(verdict, *device, failure);
  verdict.oom = failure.request;
  verdict.oom_library = failure.library;
  verdict.reason = reason_of(verdict);
  if (!verdict.sharing || failure.request.others.empty()) return;
  verdict.sharing->failed = failed_process(failure, facts, verdict.capacity);
  verdict.reason += crowd_text(*verdict.sharing->failed, failure.request);
  verdict.hint = "Run the processes one after the other, or give each its own GPU (--count).";
}

/// Makes the answer tight if there is a caveat.
void weigh(Verdict& verdict, const RunFacts& facts) {
  verdict.caveats = caveats_of_fit(verdict, facts);
  if (verdict.caveats.empty()) return;
  verdict.answer = Answer::tight;
  verdict.reason = verdict.caveats.front().text;
  // Only a run has that option.
  if (has_caveat(verdict, "address_order") && !facts.estimate)
    verdict.hint = "Try all known orders with --address-orders.";
}

/// Whether the hooks let the program do more steps than planned, because its peak still grew.
bool went_on(const RunFacts& facts) {
  return std::ranges::any_of(facts.processes, [](const auto& each) { return each.notes.contains("steps.extended"); });
}

void accept(Verdict& verdict, const RunFacts& facts) {
  verdict.answer = Answer::fits;
  if (facts.timed_out) verdict.diagnostics.add("stopped_by_timeout");
  if (facts.ended_by_us && verdict.steps > 0 && verdict.peak_at.step >= verdict.steps)
    verdict.diagnostics.add("peak_in_last_step");
  if (verdict.steps == 0) verdict.diagnostics.add("no_training_step");
  if (went_on(facts)) verdict.diagnostics.add("ran_more_steps");
  if (survived_oom(facts)) verdict.diagnostics.add("oom_handled_by_script");
  if (!verdict.tuning.empty()) verdict.diagnostics.add("peak_depends_on_tuning");
  weigh(verdict, facts);
}

OrderResult order_result(const Verdict& verdict, AddressOrder order) {
  OrderResult result{.order = order, .answer = verdict.answer, .torch_peak_reserved = verdict.torch_peak_reserved};
  if (verdict.device_used) result.device_peak = verdict.device_peak;
  return result;
}

}  // namespace

Verdict judge(const Card& card, const RunFacts& facts) {
  const auto devices = add_up(facts.processes, facts.shared);
  const auto failure = facts.interrupted ? std::nullopt : decisive_failure(facts);

  Verdict verdict;
  verdict.card = card;
  verdict.capacity = card.available();
  verdict.cap = facts.cap;
  verdict.steps = most_steps(facts);
  verdict.seconds = facts.seconds;
  verdict.host_peak_rss = facts.host_peak_rss;
  verdict.writes = facts.writes;
  verdict.software = software_of(facts);
  verdict.diagnostics = diagnostics_of(facts, devices);
  verdict.assumptions = assumptions_of(facts);
  verdict.tuning = tuning_of(facts);
  verdict.estimated = facts.estimate.has_value();
  if (facts.estimate) verdict.gaps = facts.estimate->gaps;

  const auto* worst = failure ? device_of(devices, *failure) : fullest(devices);
  if (worst) {
    fill_device(verdict, worst->device);
    fill_interval(verdict, worst->processes);
    verdict.sharing = sharing_of(*worst);
  }
  verdict.headroom =
      static_cast<std::int64_t>(verdict.capacity.count) - static_cast<std::int64_t>(verdict.device_peak.count);

  if (failure) {
    refuse(verdict, facts, *failure, worst);
  } else if (auto doubt = first_doubt({card, facts, devices, verdict.steps})) {
    verdict.answer = Answer::cannot_tell;
    verdict.reason = std::move(doubt->reason);
    verdict.hint = std::move(doubt->hint);
  } else {
    accept(verdict, facts);
  }
  verdict.orders = {order_result(verdict, facts.address_order)};
  return verdict;
}

bool is_stopped_by_cap(const Verdict& verdict) {
  return verdict.cap && verdict.oom && verdict.oom_library.empty() &&
         verdict.oom->requested <= verdict.oom->device_free;
}

int exit_code(std::span<const Verdict> verdicts, bool strict) {
  const auto any = [&](Answer answer) {
    return std::ranges::find(verdicts, answer, &Verdict::answer) != verdicts.end();
  };
  if (any(Answer::does_not_fit) || (strict && any(Answer::tight))) return 3;
  return verdicts.empty() || any(Answer::cannot_tell) ? 1 : 0;
}

}  // namespace dryfit::verdict
