// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/free_blocks.h"

#include "base/check.h"

namespace dryfit::simulator {

std::uint32_t FreeBlocks::bin_of(Bytes size) {
  if (size.count < kSubBins) return static_cast<std::uint32_t>(size.count);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(size.count) - 7);
  return (shift + 1) * kSubBins + static_cast<std::uint32_t>((size.count >> shift) & (kSubBins - 1));
}

/// How many entries of the bin are not below (size, order).
std::size_t FreeBlocks::find(const std::vector<Entry>& bin, Bytes size, std::uint64_t order) {
  std::size_t low = 0;
  std::size_t count = bin.size();
  while (count > 0) {
    const std::size_t half = count / 2;
    const Entry& entry = bin[low + half];
    const bool above = entry.size > size.count || (entry.size == size.count && entry.order >= order);
    low = above ? low + half + 1 : low;
    count = above ? count - half - 1 : half;
  }
  return low;
}

void FreeBlocks::insert(Bytes size, std::uint64_t order, BlockIndex block) {
  const std::uint32_t bin = bin_of(size);
  std::vector<Entry>& entries = bins_[bin];
  const auto index = static_cast<std::ptrdiff_t>(find(entries, size, order));
  entries.insert(entries.begin() + index, {size.count, order, block});
  filled_[bin / kSubBins] |= std::uint64_t{1} << (bin % kSubBins);
  filled_words_ |= std::uint64_t{1} << (bin / kSubBins);
}

void FreeBlocks::erase_at(std::uint32_t bin, std::size_t index) {
  std::vector<Entry>& entries = bins_[bin];
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  if (!entries.empty()) return;
  std::uint64_t& word = filled_[bin / kSubBins];
  word &= ~(std::uint64_t{1} << (bin % kSubBins));
  if (word == 0) filled_words_ &= ~(std::uint64_t{1} << (bin / kSubBins));
}

void FreeBlocks::erase(Bytes size, std::uint64_t order) {
  const std::uint32_t bin = bin_of(size);
  const std::size_t count = find(bins_[bin], size, order);
  DRYFIT_CHECK(count > 0 && bins_[bin][count - 1].order == order);
  erase_at(bin, count - 1);
}

void FreeBlocks::erase(Position position) { erase_at(position.bin, position.index); }

FreeBlocks::Position FreeBlocks::lower_bound(Bytes size) const {
  const std::uint32_t bin = bin_of(size);
  if (const std::size_t count = find(bins_[bin], size, 0); count > 0)
    return {bin, static_cast<std::uint32_t>(count - 1)};
  return first_of(next_bin(bin + 1));
}

FreeBlocks::Position FreeBlocks::first_of(std::uint32_t bin) const {
  if (bin == kBins) return {};
  return {bin, static_cast<std::uint32_t>(bins_[bin].size() - 1)};
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
  if (position.index + 1 < bins_[position.bin].size()) return {position.bin, position.index + 1};
  const std::uint32_t bin = previous_bin(position.bin);
  return {bin, 0};
}

/// The first filled bin from here on; kBins if there is none.
std::uint32_t FreeBlocks::next_bin(std::uint32_t bin) const {
  if (bin >= kBins) return kBins;
  const std::uint32_t word = bin / kSubBins;
  const std::uint64_t here = filled_[word] & (~std::uint64_t{0} << (bin % kSubBins));
  if (here != 0) return word * kSubBins + static_cast<std::uint32_t>(std::countr_zero(here));
  const std::uint64_t words = filled_words_ & (~std::uint64_t{1} << word);
  if (words == 0) return kBins;
  const auto next = static_cast<std::uint32_t>(std::countr_zero(words));
  return next * kSubBins + static_cast<std::uint32_t>(std::countr_zero(filled_[next]));
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
