// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "card/machine.h"

namespace dryfit {

using Address = std::uint64_t;

/// Hands out ranges of one device's virtual addresses. Nothing stands behind them: they only have to be unique, and in
/// the order that a real driver would choose.
///
/// Note [Address order]. PyTorch's allocator breaks ties between free blocks of equal size by address, so the order in
/// which a driver places new segments can move a later request into another block and, rarely, change the peak.
/// Recorded runs show: native Linux takes 32 MiB-granular chunks from the top down and serves later requests from the
/// unused ends of chunks first, lowest address first; WSL2 and gVisor ascend. To repeat a recorded run in every
/// address, a request takes the place of the first recorded segment of its size that no request has taken yet; all of
/// them are moved into this space together, so that their order and distances stay. Requests without such a segment are
/// placed as on native Linux.
///
/// Invariant: free ranges are disjoint, not adjacent, and lie inside the space, above the recorded segments.
class AddressSpace {
 public:
  /// The space [begin, end); both multiples of 2 MiB.
  AddressSpace(Address begin, Address end, AddressOrder order, const std::vector<RecordedSegment>& recorded = {});

  /// A range of `size` (a multiple of 2 MiB), or nothing when the space is used up.
  std::optional<Address> take(Bytes size);

  /// The same for what a recording could hold: the place of the recorded segment, if there is one.
  std::optional<Address> take_segment(Bytes size);

  /// Gives back a range that was taken.
  void give(Address address, Bytes size);

  bool is_recorded(Address address) const { return address >= begin_ && address < recorded_end_; }
  bool follows_recording() const { return order_ == AddressOrder::recorded; }
  bool contains(Address address) const { return address >= begin_ && address < end_; }

 private:
  using Ranges = std::map<Address, std::uint64_t>;

  void plan(const std::vector<RecordedSegment>& recorded);
  bool is_live(Address address, std::uint64_t size) const;
  Address take_from(Ranges::iterator range, std::uint64_t size);
  std::optional<Address> extend_down(std::uint64_t size);
  std::optional<Address> extend_up(std::uint64_t size);
  Ranges::iterator lowest_fit(std::uint64_t size);
  Ranges::iterator best_fit(std::uint64_t size);

  const Address begin_;
  const Address end_;
  const AddressOrder order_;
  Address recorded_end_;                                  ///< below it, down to begin_, are the recorded segments
  std::map<std::uint64_t, std::deque<Address>> planned_;  ///< recorded segments not yet taken, by size
  Ranges live_recorded_;
  Address bottom_;  ///< everything below, down to recorded_end_, has been handed out before (ascending)
  Address top_;     ///< everything above, up to end_, has been handed out before (chunk, descending)
  Ranges free_;     ///< ranges given back, or left over at the end of a chunk
};

}  // namespace dryfit
