// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/caveats.h"

#include <algorithm>
#include <optional>

namespace dryfit::verdict {
namespace {

using analysis::Assumption;

std::string times(std::uint64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

/// What is left of the GPU's memory when everything estimated is at its upper bound.
std::int64_t slack(const Verdict& verdict) {
  return static_cast<std::int64_t>(verdict.capacity.count) - static_cast<std::int64_t>(verdict.device_peak_high.count);
}

bool slack_below(const Verdict& verdict, double share_of_capacity) {
  return static_cast<double>(slack(verdict)) < share_of_capacity * static_cast<double>(verdict.capacity.count);
}

bool is_below_largest(const Assumption& assumption) { return assumption.assumed < assumption.of; }

/// "nonzero at train.py:42"
std::string place(const Assumption& assumption) {
  return assumption.where.empty() ? assumption.what : assumption.what + " at " + assumption.where;
}

std::optional<Caveat> outside_memory(const Verdict& verdict, const RunFacts&) {
  if (slack(verdict) >= 0) return std::nullopt;
  return Caveat{"outside_memory", "it fits only if the memory outside PyTorch stays below its upper bound of " +
                                      to_text(verdict.outside_high) + ", which would make a peak of " +
                                      to_text(verdict.device_peak_high)};
}

/// Each process has a context of its own, as uncertain as the others.
std::optional<Caveat> timing(const Verdict& verdict, const RunFacts&) {
  if (!verdict.sharing) return std::nullopt;
  const Bytes spread = verdict.card.context_spread * static_cast<std::uint64_t>(verdict.sharing->processes);
  if (verdict.sharing->coinciding_peak + spread <= verdict.capacity) return std::nullopt;
  return Caveat{"timing", "it depends on when each process needs its memory: at the same time they needed " +
                              to_text(verdict.device_peak) + ", but all their peaks together are " +
                              to_text(verdict.sharing->coinciding_peak)};
}

std::optional<Caveat> memory_ran_short(const Verdict& verdict, const RunFacts& facts) {
  if (verdict.ooms > 0) {
    return Caveat{"memory_ran_short", "the program ran out of memory, caught the error and continued"};
  }
  if (verdict.alloc_retries > 0) {
    return Caveat{"memory_ran_short", (verdict.cap ? "PyTorch's allocator reached its limit, and continued"
                                                   : "the GPU was full, and PyTorch continued") +
                                          std::string(" only by releasing its cached memory, ") +
                                          times(verdict.alloc_retries)};
  }
  for (const auto& process : facts.processes) {
    for (const auto& device : process.devices) {
      if (!device.last_refusal) continue;
      const auto requester = device.last_refusal->by_torch ? "PyTorch" : device.last_refusal->library;
      return Caveat{"memory_ran_short", "an allocation by " + requester + " failed once; it fell back and continued"};
    }
  }
  return std::nullopt;
}

std::optional<Caveat> address_order(const Verdict& verdict, const RunFacts& facts) {
  const double allowance = kAddressOrderShare * static_cast<double>(verdict.reserved_at_peak.count);
  if (!facts.address_order_assumed || static_cast<double>(slack(verdict)) >= allowance) return std::nullopt;
  return Caveat{"address_order", "the order in which a platform assigns addresses can change the peak by up to " +
                                     to_text(Bytes{static_cast<std::uint64_t>(allowance)}) +
                                     ", which is more than the headroom; only one order was tried"};
}

std::optional<Caveat> assumed_sizes(const Verdict& verdict, const RunFacts&) {
  const auto below = std::ranges::count_if(verdict.assumptions, is_below_largest);
  if (below == 0 || !slack_below(verdict, kAssumedHeadroom)) return std::nullopt;
  const auto first = std::ranges::find_if(verdict.assumptions, is_below_largest);
  return Caveat{"assumed_sizes", "sizes that depend on data were assumed to be smaller than the largest possible (" +
                                     place(*first) + ": " + std::to_string(first->assumed) + " of " +
                                     std::to_string(first->of) +
                                     (below > 1 ? "; " + std::to_string(below) + " places in total)" : ")")};
}

std::optional<Caveat> values_not_followed(const Verdict& verdict, const RunFacts& facts) {
  if (!slack_below(verdict, kAssumedHeadroom)) return std::nullopt;
  for (const auto& process : facts.processes) {
    const auto note = process.notes.find("values.not_followed");
    if (note == process.notes.end()) continue;
    return Caveat{"values_not_followed",
                  "values were not tracked (" + note->second + "); sizes that depend on data came out as zero"};
  }
  return std::nullopt;
}

std::optional<Caveat> hooks_failed(const Verdict& verdict, const RunFacts&) {
  if (!verdict.diagnostics.counts().contains("hooks.error")) return std::nullopt;
  return Caveat{"hooks_failed", "one of Dryfit's hooks failed, so numbers may be missing or wrong"};
}

std::optional<Caveat> no_data(const Verdict&, const RunFacts& facts) {
  const auto noted = [](const auto& process) { return process.notes.contains("batch.empty"); };
  if (std::ranges::none_of(facts.processes, noted)) return std::nullopt;
  return Caveat{"no_data", "the model was only called with tensors that have no element, as with a batch size of 0"};
}

std::optional<Caveat> tuning(const Verdict& verdict, const RunFacts&) {
  if (verdict.tuning.empty() || !slack_below(verdict, kLittleHeadroom)) return std::nullopt;
  return Caveat{"tuning", "the headroom is small, and kernels and workspaces were chosen by timing (" +
                              verdict.tuning.front() + "); a real GPU may choose others"};
}

std::optional<Caveat> still_growing(const Verdict& verdict, const RunFacts& facts) {
  if (!facts.ended_by_us && !facts.timed_out) return std::nullopt;
  if (verdict.steps == 0 || verdict.peak_at.step < verdict.steps || !slack_below(verdict, kLittleHeadroom))
    return std::nullopt;
  return Caveat{"still_growing",
                "the headroom is small, and memory was still growing in the last step; try more --steps"};
}

/// Most jobs have their peak in the second step, when the optimizer's state is there.
std::optional<Caveat> stopped_early(const Verdict& verdict, const RunFacts& facts) {
  const auto planned = facts.planned_steps.value_or(kUsualSteps);
  if (!facts.timed_out || verdict.steps >= planned) return std::nullopt;
  return Caveat{"stopped_early", "the --timeout stopped it after " + std::to_string(verdict.steps) + " of " +
                                     std::to_string(planned) + " steps; what later steps need was not seen"};
}

std::optional<Caveat> estimate_error(const Verdict& verdict, const RunFacts& facts) {
  const double allowance = kEstimateShare * static_cast<double>(verdict.reserved_at_peak.count);
  if (!facts.estimate || static_cast<double>(slack(verdict)) >= allowance) return std::nullopt;
  return Caveat{"estimate_error", "an estimate from a CPU profile can be off by up to " +
                                      to_text(Bytes{static_cast<std::uint64_t>(allowance)}) +
                                      ", which is more than the headroom"};
}

std::optional<Caveat> gaps(const Verdict& verdict, const RunFacts&) {
  if (verdict.gaps.empty() || !slack_below(verdict, kAssumedHeadroom)) return std::nullopt;
  return Caveat{"trace_gaps", "the trace is missing information: " + verdict.gaps.front().text};
}

/// The last request to the driver counts, which is rounded up; if that is unknown, the request to PyTorch.
std::optional<Bytes> missing_memory(const DeviceTotal& total, const MemoryFailure& failure) {
  const auto& refusal = total.device.last_refusal;
  const auto& request = refusal ? refusal->request : failure.request;
  if (request.requested <= request.device_free) return std::nullopt;
  return request.requested - request.device_free;
}

}  // namespace

std::vector<Caveat> caveats_of_fit(const Verdict& verdict, const RunFacts& facts) {
  static constexpr std::optional<Caveat> (*kCaveats[])(const Verdict&, const RunFacts&) = {
      stopped_early, outside_memory, timing, memory_ran_short, hooks_failed,   no_data, values_not_followed,
      assumed_sizes, still_growing,  tuning, address_order,    estimate_error, gaps};
  std::vector<Caveat> found;
  for (const auto caveat : kCaveats) {
    if (auto applies = caveat(verdict, facts)) found.push_back(*std::move(applies));
  }
  return found;
}

std::vector<Caveat> caveats_of_failure(const Verdict& verdict, const DeviceTotal& device,
                                       const MemoryFailure& failure) {
  std::vector<Caveat> found;
  const auto missing = missing_memory(device, failure);
  if (missing && *missing <= verdict.device_peak - verdict.device_peak_low) {
    found.push_back({"outside_memory", "short by " + to_text(*missing) +
                                           ", which is within the uncertainty of the memory outside PyTorch; it might "
                                           "fit"});
  }
  if (!verdict.assumptions.empty()) {
    found.push_back({"assumed_sizes", "sizes that depend on data were assumed, the first at " +
                                          place(verdict.assumptions.front()) + "; the real ones may be smaller"});
  }
  return found;
}

}  // namespace dryfit::verdict
