// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "simulator/block.h"

namespace dryfit::simulator {

/// The free blocks of one pool and stream, ordered by (size, order).
///
/// Note [Size bins]
/// A best-fit search is a bitmap lookup: blocks lie in bins of nearly equal size (64 bins between two powers of two; up
/// to 64 KiB one bin per size), each sorted, and a two-level bitmap marks the bins that are not empty. Bins are sorted
/// downwards, because the smallest of a bin is the one most often taken. Over all entries of a bin:
///   bin_of(size) == bin, and (size, order) decreases strictly.
class FreeBlocks {
 public:
  /// A place in the order; valid until the next insert or erase.
  struct Position {
    std::uint32_t bin = kBins;
    std::uint32_t index = 0;

    explicit operator bool() const { return bin != kBins; }
    friend bool operator==(Position, Position) = default;
  };

  void insert(Bytes size, std::uint64_t order, BlockIndex block) {
    const std::uint32_t bin = bin_of(size);
    if (octaves_[bin / kSubBins].empty()) [[unlikely]]
      octaves_[bin / kSubBins].resize(kSubBins);
    std::vector<Entry>& entries = entries_of(bin);
    const Entry added{size.count, order, block};
    std::size_t place = entries.size();
    entries.push_back(added);
    if (place > kLong) [[unlikely]]
      return insert_into_long(bin);
    for (; place > 0 && entries[place - 1] < added; --place) entries[place] = entries[place - 1];
    entries[place] = added;
    if (entries.size() == 1) mark_filled(bin);
  }
  /// The block must be present.
  void erase(Bytes size, std::uint64_t order) {
    const std::uint32_t bin = bin_of(size);
    DRYFIT_CHECK(is_filled(bin));
    const std::size_t count = count_from(entries_of(bin), {size.count, order, 0});
    DRYFIT_CHECK(count > 0 && entries_of(bin)[count - 1].order == order);
    erase({bin, static_cast<std::uint32_t>(count - 1)});
  }
  void erase(Position position) {
    std::vector<Entry>& entries = entries_of(position.bin);
    std::copy(entries.begin() + position.index + 1, entries.end(), entries.begin() + position.index);
    entries.pop_back();
    if (entries.empty()) mark_empty(position.bin);
  }

  /// The first block of at least this size.
  Position lower_bound(Bytes size) const {
    const std::uint32_t bin = bin_of(size);
    if (is_filled(bin)) {
      const std::size_t count = count_from(entries_of(bin), {size.count, 0, 0});
      if (count > 0) return {bin, static_cast<std::uint32_t>(count - 1)};
    }
    return first_of(next_bin(bin + 1));
  }
  Position begin() const { return first_of(next_bin(0)); }
  Position last() const;
  Position next(Position position) const;
  Position previous(Position position) const;
  BlockIndex operator[](Position position) const { return entries_of(position.bin)[position.index].block; }

 private:
  struct Entry {
    std::uint64_t size;
    std::uint64_t order;
    BlockIndex block;

    bool operator<(const Entry& other) const { return size != other.size ? size < other.size : order < other.order; }
  };
  static constexpr std::uint32_t kSubBins = 64;
  static constexpr std::uint32_t kBins = 59 * kSubBins;
  /// Larger bins are searched by bisection.
  static constexpr std::size_t kLong = 16;

  static std::uint32_t bin_of(Bytes size) {
    if (size.count < kSubBins) return static_cast<std::uint32_t>(size.count);
    const auto shift = static_cast<std::uint32_t>(std::bit_width(size.count) - 7);
    return (shift + 1) * kSubBins + static_cast<std::uint32_t>((size.count >> shift) & (kSubBins - 1));
  }
  /// The number of entries in the bin that are not below this one.
  static std::size_t count_from(const std::vector<Entry>& entries, const Entry& wanted) {
    std::size_t count = entries.size();
    if (count > kLong) [[unlikely]]
      return count_in_long(entries, wanted);
    while (count > 0 && entries[count - 1] < wanted) --count;
    return count;
  }
  static std::size_t count_in_long(const std::vector<Entry>& entries, const Entry& wanted);
  void insert_into_long(std::uint32_t bin);
  std::vector<Entry>& entries_of(std::uint32_t bin) { return octaves_[bin / kSubBins][bin % kSubBins]; }
  const std::vector<Entry>& entries_of(std::uint32_t bin) const { return octaves_[bin / kSubBins][bin % kSubBins]; }
  bool is_filled(std::uint32_t bin) const { return (filled_[bin / kSubBins] >> (bin % kSubBins) & 1) != 0; }
  void mark_filled(std::uint32_t bin) {
    filled_[bin / kSubBins] |= std::uint64_t{1} << (bin % kSubBins);
    filled_words_ |= std::uint64_t{1} << (bin / kSubBins);
  }
  void mark_empty(std::uint32_t bin) {
    std::uint64_t& word = filled_[bin / kSubBins];
    word &= ~(std::uint64_t{1} << (bin % kSubBins));
    if (word == 0) filled_words_ &= ~(std::uint64_t{1} << (bin / kSubBins));
  }
  Position first_of(std::uint32_t bin) const {
    if (bin == kBins) return {};
    return {bin, static_cast<std::uint32_t>(entries_of(bin).size() - 1)};
  }
  /// The first non-empty bin from here on; kBins if there is none.
  std::uint32_t next_bin(std::uint32_t bin) const {
    if (bin >= kBins) return kBins;
    const std::uint32_t word = bin / kSubBins;
    const std::uint64_t here = filled_[word] & (~std::uint64_t{0} << (bin % kSubBins));
    if (here != 0) return word * kSubBins + static_cast<std::uint32_t>(std::countr_zero(here));
    const std::uint64_t words = filled_words_ & (~std::uint64_t{1} << word);
    if (words == 0) return kBins;
    const auto next = static_cast<std::uint32_t>(std::countr_zero(words));
    return next * kSubBins + static_cast<std::uint32_t>(std::countr_zero(filled_[next]));
  }
  std::uint32_t previous_bin(std::uint32_t bin) const;

  std::array<std::vector<std::vector<Entry>>, kBins / kSubBins> octaves_;  ///< of 64 bins each, made on first use
  std::array<std::uint64_t, kBins / kSubBins> filled_{};
  std::uint64_t filled_words_ = 0;
};

}  // namespace dryfit::simulator
