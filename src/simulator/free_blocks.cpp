// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/free_blocks.h"

namespace dryfit::simulator {

std::size_t FreeBlocks::count_in_long(const std::vector<Entry>& entries, const Entry& wanted) {
  const auto end =
      std::partition_point(entries.begin(), entries.end(), [&](const Entry& entry) { return !(entry < wanted); });
  return static_cast<std::size_t>(end - entries.begin());
}

/// Moves the last entry to where it belongs.
void FreeBlocks::insert_into_long(std::uint32_t bin) {
  std::vector<Entry>& entries = entries_of(bin);
  const Entry added = entries.back();
  const auto place =
      std::partition_point(entries.begin(), entries.end() - 1, [&](const Entry& entry) { return !(entry < added); });
  std::copy_backward(place, entries.end() - 1, entries.end());
  *place = added;
}

FreeBlocks::Position FreeBlocks::last() const {
  if (filled_words_ == 0) return {};
  return {previous_bin(kBins), 0};
}

FreeBlocks::Position FreeBlocks::next(Position position) const {
  if (position.index > 0) return {position.bin, position.index - 1};
  return first_of(next_bin(position.bin + 1));
}

FreeBlocks::Position FreeBlocks::previous(Position position) const {
  if (position.index + 1 < entries_of(position.bin).size()) return {position.bin, position.index + 1};
  const std::uint32_t bin = previous_bin(position.bin);
  return {bin, 0};
}

/// The last filled bin before this one; kBins if there is none.
std::uint32_t FreeBlocks::previous_bin(std::uint32_t bin) const {
  while (bin-- > 0) {
    const std::uint32_t word = bin / kSubBins;
    const std::uint64_t here = filled_[word] & (~std::uint64_t{0} >> (kSubBins - 1 - bin % kSubBins));
    if (here != 0) return word * kSubBins + kSubBins - 1 - static_cast<std::uint32_t>(std::countl_zero(here));
    bin = word * kSubBins;
  }
  return kBins;
}

}  // namespace dryfit::simulator
