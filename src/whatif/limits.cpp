// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/limits.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/rounding.h"
#include "whatif/play.h"

namespace dryfit::whatif {
namespace {

bool ran(const Outcome& outcome) { return outcome.complete && outcome.refused_in_both == 0 && !outcome.met_here_only; }

class CapScanner {
 public:
  CapScanner(const Recording& recording, Conditions conditions, const ScanDepth& depth)
      : recording_(recording), conditions_(conditions), depth_(depth) {
    conditions_.total = kNoCard;
    conditions_.outside = {};
    conditions_.fraction.reset();
    conditions_.config.per_process_memory_fraction.reset();
    needed_ = least_possible_cap(recording, conditions_);
    reserved_at_start_ = recording.reserved_at_start();
  }

  Result<CapScan> scan() {
    if (auto status = add_band(kNoCard); !status) return status.error();
    const auto& whole = scan_.bands.front();
    if (!whole.runs) {
      return Error{"the recorded program ran out of memory, so what it needs is unknown",
                   "Record it on a GPU where it fits."};
    }
    scan_.comfortable = scan_.least = whole.caps.from;
    while (goes_on()) {
      if (auto status = add_band(Bytes{lowest().caps.from.count - 1}); !status) return status.error();
      if (is_unbroken_ && lowest().runs) scan_.least = lowest().caps.from;
      is_unbroken_ &= lowest().runs;
    }
    note_comfort();
    scan_.least_is_exact = !is_unbroken_ || scan_.least <= needed_;
    return std::move(scan_);
  }

 private:
  const CapBand& lowest() const { return scan_.bands.back(); }

  bool goes_on() const {
    if (lowest().caps.from <= std::max(needed_, reserved_at_start_)) return false;
    if (operations_ >= depth_.operations) return false;
    return is_unbroken_ || depth_.beyond_least;
  }

  Status add_band(Bytes cap) {
    conditions_.cap = cap;
    const auto outcome = play(recording_, conditions_);
    if (!outcome) return outcome.error();
    operations_ += outcome->operations;
    auto caps = outcome->caps_alike;
    // Below what was there at the start, a recording does not say what the program would have done.
    caps.from = std::max(caps.from, reserved_at_start_);
    scan_.bands.push_back({.caps = caps,
                           .runs = ran(*outcome),
                           .retries = outcome->alloc_retries,
                           .peak_reserved = outcome->peak_reserved});
    return {};
  }

  /// PyTorch may release memory without a retry: by garbage collection, or with max_split_size.
  void note_comfort() {
    for (const auto& band : scan_.bands) {
      if (!band.runs || band.retries > 0) break;
      scan_.comfortable = band.caps.from;
    }
  }

  const Recording& recording_;
  Conditions conditions_;
  ScanDepth depth_;
  Bytes needed_;  ///< no smaller cap can run
  Bytes reserved_at_start_;
  std::uint64_t operations_ = 0;
  bool is_unbroken_ = true;  ///< every cap so far runs
  CapScan scan_;
};

}  // namespace

Result<CapScan> scan_caps(const Recording& recording, Conditions conditions, const ScanDepth& depth) {
  return CapScanner(recording, conditions, depth).scan();
}

Bytes least_possible_cap(const Recording& recording, const Conditions& conditions) {
  using Kind = Operation::Kind;
  const simulator::SizeRounding rounded(conditions.config, conditions.torch);
  std::vector<Bytes> sizes(recording.slots);
  Bytes held, most;
  std::unordered_map<simulator::Address, Slot> slots;
  for (const auto& block : recording.start_blocks) slots[block.address] = block.slot;
  const auto hold = [&](Slot slot, Bytes size) {
    sizes[slot] = size;
    held += size;
    most = std::max(most, held);
  };
  for (const auto& segment : recording.start) {
    for (const auto& block : segment.blocks) {
      if (block.state != simulator::BlockState::kAllocated) continue;
      hold(slots.at(block.address), block.size);
    }
  }
  for (const auto& operation : recording.operations) {
    const bool is_needed = operation.kind == Kind::malloc && !operation.is_optional;
    if (is_needed && operation.size.count > 0) hold(operation.slot, rounded(operation.size));
    const bool ends = operation.kind == Kind::free || operation.kind == Kind::request_free;
    if (ends) held -= std::exchange(sizes[operation.slot], Bytes{});
  }
  return most;
}

}  // namespace dryfit::whatif
