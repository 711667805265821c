// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <map>

#include "explain/categories.h"

namespace dryfit::explain {
namespace {

constexpr int rank(Role role) {
  switch (role) {
    case Role::parameter:
      return 0;
    case Role::state:
      return 1;
    case Role::gradient:
      return 2;
    case Role::buffer:
      return 3;
  }
  return 4;
}

/// What lives, while the events go by.
class Living {
 public:
  explicit Living(const Lives& lives) : lives_(lives) {
    while (first_ < lives.allocations.size() && lives.allocations[first_].born == 0 && !is_event(first_)) add(first_++);
  }

  /// Up to the first event that is not before `place`.
  void advance_to(Event place) {
    for (; next_ < place && next_ < lives_.allocation_of.size(); ++next_) {
      const auto index = lives_.allocation_of[next_];
      if (index == kNone) continue;
      const auto& allocation = lives_.allocations[index];
      if (allocation.died == next_) {
        addresses_.erase(allocation.address);
      } else {
        add(index);
      }
    }
  }

  /// The allocation that contains that address, or kNone.
  std::uint32_t at(std::uint64_t address) const {
    const auto next = addresses_.upper_bound(address);
    if (next == addresses_.begin()) return kNone;
    const auto& [begin, index] = *std::prev(next);
    return address - begin < lives_.allocations[index].bytes.count ? index : kNone;
  }

 private:
  bool is_event(std::uint32_t index) const { return !lives_.allocation_of.empty() && lives_.allocation_of[0] == index; }
  void add(std::uint32_t index) { addresses_[lives_.allocations[index].address] = index; }

  const Lives& lives_;
  std::uint32_t first_ = 0;
  Event next_ = 0;
  std::map<std::uint64_t, std::uint32_t> addresses_;
};

void note(Sightings& sightings, const Living& living, const SeenTensor& tensor) {
  const auto index = living.at(tensor.address);
  if (index == kNone) return;
  auto& known = sightings.roles[index];
  const bool names_it = known && known->role == tensor.role && known->module == 0 && tensor.module != 0;
  if (known && rank(known->role) <= rank(tensor.role) && !names_it) return;
  known = Sighting{tensor.role, tensor.module, tensor.name, tensor.type};
}

}  // namespace

Sightings sightings_of(const Lives& lives, const Marks& marks, const MarkPlaces& places) {
  Sightings sightings{std::vector<std::optional<Sighting>>(lives.allocations.size()),
                      std::vector<MarkName>(lives.allocations.size())};
  Living living(lives);
  for (const auto& mark : marks.seen) {
    living.advance_to(places.place_of(mark.at));
    for (const auto& tensor : marks.sets[mark.set]) note(sightings, living, tensor);
  }
  Living again(lives);
  for (const auto& mark : marks.outputs) {
    again.advance_to(places.place_of(mark.at));
    const auto index = again.at(mark.address);
    if (index != kNone && sightings.types[index] == 0) sightings.types[index] = mark.type;
  }
  return sightings;
}

}  // namespace dryfit::explain
