// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/addresses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "card/address_space.h"

namespace dryfit::whatif {
namespace {

using simulator::Address;

constexpr Address kPage = 2u << 20;
constexpr Address kRoom = Address{1} << 45;      ///< for all that a simulation usually makes
constexpr Address kUsualEnd = Address{1} << 47;  ///< the end of what a process can address
constexpr Address kBeyond = Address{1} << 62;

/// As a driver places them in its space; when that is used up, above everything.
class SpaceAddresses : public simulator::AddressPolicy {
 public:
  explicit SpaceAddresses(AddressSpace space) : space_(std::move(space)), beyond_(kBeyond) {}

  Address place(Bytes size) override {
    const auto address = space_.take_segment(round_up(size, Bytes{kPage}));
    return address ? *address : beyond_.place(size);
  }
  void remove(Address address, Bytes size) override {
    if (space_.contains(address)) space_.give(address, round_up(size, Bytes{kPage}));
  }

 private:
  AddressSpace space_;
  simulator::AscendingAddresses beyond_;
};

struct Range {
  Address begin = kUsualEnd;
  Address end = 0;

  void include(Address address, Bytes size) {
    begin = std::min(begin, address);
    end = std::max(end, address + size.count);
  }
};

/// Below all that is there at the start if there is room, since drivers mostly go down; else above.
AddressSpace apart_from_start(const Recording& recording, AddressOrder order) {
  Range start;
  for (const auto& segment : recording.start) start.include(segment.address, segment.size);
  if (start.begin > kRoom) return {kPage, start.begin / kPage * kPage, order};
  const Address begin = (start.end / kPage + 1) * kPage;
  return {begin, begin + kRoom, order};
}

/// Every segment, also those that are there at the start, at its recorded place.
AddressSpace as_recorded(const Recording& recording) {
  std::vector<RecordedSegment> segments;
  Range range;
  for (const auto& segment : recording.start) segments.push_back({segment.size, segment.address});
  segments.insert(segments.end(), recording.segments.begin(), recording.segments.end());
  for (const auto& segment : segments) range.include(segment.address, segment.size);
  AddressSpace space(range.begin, (range.end / kPage + 1) * kPage + kRoom, AddressOrder::recorded, segments);
  for (const auto& segment : recording.start) static_cast<void>(space.take_segment(segment.size));
  return space;
}

bool is_regular(const Recording& recording) {
  const auto regular = [](Address address, Bytes size) { return address % kPage == 0 && size.count % kPage == 0; };
  return std::ranges::all_of(recording.segments, [&](const auto& s) { return regular(s.address, s.size); }) &&
         std::ranges::all_of(recording.start, [&](const auto& s) { return regular(s.address, s.size); });
}

}  // namespace

std::unique_ptr<simulator::AddressPolicy> addresses_for(const Recording& recording, const Conditions& conditions) {
  const bool same_segments = conditions.config == recording.config && !recording.config.expandable_segments;
  const bool follows = same_segments && is_regular(recording);
  return std::make_unique<SpaceAddresses>(follows ? as_recorded(recording)
                                                  : apart_from_start(recording, conditions.address_order));
}

std::unique_ptr<simulator::AddressPolicy> fresh_addresses(AddressOrder order) {
  return std::make_unique<SpaceAddresses>(AddressSpace(kPage, kPage + kRoom, order));
}

}  // namespace dryfit::whatif
