// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "simulator/block.h"

namespace dryfit::simulator {

/// The free blocks of one pool and stream, ordered by (size, order).
///
/// Note [Size bins]
/// A best-fit search costs a look at a bitmap: blocks lie in bins of nearly equal size (64 bins between two powers of
/// two; up to 64 KiB one bin per size), each sorted, and a two-level bitmap says which bins hold any. Bins are sorted
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

  FreeBlocks() : bins_(kBins) {}

  void insert(Bytes size, std::uint64_t order, BlockIndex block);
  /// The block must be there.
  void erase(Bytes size, std::uint64_t order);
  void erase(Position position);

  /// The first block of at least this size.
  Position lower_bound(Bytes size) const;
  Position begin() const { return first_of(next_bin(0)); }
  Position last() const;
  Position next(Position position) const;
  Position previous(Position position) const;
  BlockIndex operator[](Position position) const { return bins_[position.bin][position.index].block; }

 private:
  struct Entry {
    std::uint64_t size;
    std::uint64_t order;
    BlockIndex block;
  };
  static constexpr std::uint32_t kSubBins = 64;
  static constexpr std::uint32_t kBins = 59 * kSubBins;

  static std::uint32_t bin_of(Bytes size);
  static std::size_t find(const std::vector<Entry>& bin, Bytes size, std::uint64_t order);
  Position first_of(std::uint32_t bin) const;
  std::uint32_t next_bin(std::uint32_t bin) const;
  std::uint32_t previous_bin(std::uint32_t bin) const;
  void erase_at(std::uint32_t bin, std::size_t index);

  std::vector<std::vector<Entry>> bins_;
  std::array<std::uint64_t, kBins / kSubBins> filled_{};
  std::uint64_t filled_words_ = 0;
};

}  // namespace dryfit::simulator
