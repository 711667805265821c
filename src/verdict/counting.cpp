// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/counting.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"

namespace dryfit::verdict {
namespace {

using namespace literals;
using analysis::Compute;
using analysis::Work;

/// PyTorch's expandable segments reserve addresses for several times the memory of a GPU, which must not run out
/// either.
constexpr Bytes kEndless = 1_TiB;

void add_steps(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& steps) {
  if (sum.size() < steps.size()) sum.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) sum[i] += steps[i];
}

void add_work(std::vector<Work>& sum, const Work& work) {
  const auto same = [&](const auto& each) { return each.op == work.op && each.module == work.module; };
  const auto found = std::ranges::find_if(sum, same);
  if (found == sum.end()) {
    sum.push_back(work);
  } else {
    found->flops += work.flops;
  }
}

void add_moved(std::vector<analysis::Moved>& sum, const analysis::Moved& moved) {
  const auto same = [&](const auto& each) { return each.op == moved.op && each.module == moved.module; };
  const auto found = std::ranges::find_if(sum, same);
  if (found == sum.end()) {
    sum.push_back(moved);
  } else {
    found->bytes += moved.bytes;
  }
}

/// The processes of a job share its steps.
Compute compute_of(const RunFacts& facts) {
  Compute sum;
  for (const auto& process : facts.processes) {
    if (!process.compute) continue;
    add_steps(sum.steps, process.compute->steps);
    for (const auto& work : process.compute->last_step) add_work(sum.last_step, work);
    for (const auto& [op, times] : process.compute->uncounted) sum.uncounted[op] += times;
    add_steps(sum.traffic, process.compute->traffic);
    for (const auto& moved : process.compute->moved) add_moved(sum.moved, moved);
  }
  return sum;
}

std::string reason_for_nothing(const Card& card, const RunFacts& facts) {
  for (const auto& process : facts.processes) {
    const auto found = process.notes.find("flops.unavailable");
    if (found != process.notes.end()) return found->second;
  }
  const auto verdict = judge(card, facts);
  return fitted(verdict.answer) ? "no step was counted" : verdict.reason;
}

}  // namespace

Counting count(const Card& card, const RunFacts& facts) {
  Counting counting{.card = card.id, .compute = compute_of(facts)};
  for (const auto& process : facts.processes) {
    for (const auto& [kernel, launches] : process.launches) counting.kernels[kernel] += launches;
  }
  if (counting.compute.steps.empty()) counting.reason = reason_for_nothing(card, facts);
  return counting;
}

Card endless_memory(Card card) {
  card.total_memory = kEndless;
  return card;
}

}  // namespace dryfit::verdict
