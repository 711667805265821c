// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "card/card.h"

namespace dryfit {

/// A part of a GPU's memory: a size, or a fraction of the whole.
class MemoryShare {
 public:
  /// At least one byte.
  explicit MemoryShare(Bytes size) : size_(size) {}
  /// Above 0, at most 1.
  explicit MemoryShare(double fraction) : fraction_(fraction) {}

  /// It does not depend on the GPU.
  bool is_size() const { return fraction_ == 0; }

  /// Its size on a GPU with this much memory, truncated to whole bytes as PyTorch before 2.13 does it.
  Bytes of(Bytes total) const;
  /// The fraction that torch.cuda.set_per_process_memory_fraction needs, so that PyTorch allows this size to the byte,
  /// whether its version truncates or rounds. At most 1 for what is within the memory.
  double fraction_of(Bytes total) const;

 private:
  Bytes size_;
  double fraction_ = 0;  ///< 0: the size counts
};

/// "5.5GiB", "6 GB", "6000M", "6442450944", "48%" or "0.4787". K, M, G and T are powers of 1024 with or without "iB",
/// powers of 1000 with "B". The Error says what would have been right.
Result<MemoryShare> parse_memory_share(std::string_view text);

/// What a job is limited to, on whatever GPU.
struct MemoryLimits {
  std::optional<MemoryShare> cap;        ///< of PyTorch's allocator
  std::optional<MemoryShare> gpu_limit;  ///< of the whole GPU

  /// The cap on this GPU in bytes.
  std::optional<Bytes> cap_on(const Card& card) const;
};

/// The GPU with the rest of its memory held by others. An Error where a limit is more than the GPU has.
Result<Card> limited(Card card, const MemoryLimits& limits);

}  // namespace dryfit
