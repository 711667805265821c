// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "estimate/timeline.h"

namespace dryfit::estimate {

enum class Phase : std::uint8_t { load, forward, backward, optimizer, other };

/// "load", "forward", … as in analysis::Moment.
const char* to_text(Phase phase);

/// When something happens in the program's life.
struct Stage {
  std::uint32_t step = 0;  ///< 0: before the first training step
  Phase phase = Phase::load;
};

/// A call of the GPU's allocator. Blocks of the window keep their numbers; others come after them.
struct Call {
  std::uint32_t block = 0;
  bool is_free = false;
  Stage at;
  bool is_optional = false;  ///< if it does not fit, the program continues without it
};

/// All calls of the GPU's allocator in a window, from beginning to end.
struct Plan {
  std::vector<Call> calls;
  std::vector<Bytes> sizes;           ///< by block
  std::optional<std::size_t> loaded;  ///< the call before which the model is on the GPU, if it is in this window
};

/// Changes a window's sequence of events into that of a GPU: blocks can be dropped, resized or moved, and others
/// inserted. A place is the index of an event, before which something happens; insertions at one place happen in the
/// order in which they were made.
class Script {
 public:
  explicit Script(const Timeline& timeline);

  /// The GPU has no such block.
  void drop(std::uint32_t block) { dropped_[block] = true; }
  bool is_dropped(std::uint32_t block) const { return dropped_[block]; }
  void resize(std::uint32_t block, Bytes size) { sizes_[block] = size; }
  Bytes size_of(std::uint32_t block) const { return sizes_[block]; }

  /// The GPU allocates it there.
  void alloc_at(std::uint32_t block, std::uint32_t place);
  /// The GPU frees it there.
  void free_at(std::uint32_t block, std::uint32_t place);

  /// Another block, which lives from `place` on.
  std::uint32_t add(Bytes size, std::uint32_t place);
  /// A block that is freed at once.
  void add_temporary(Bytes size, std::uint32_t place) { free_at(add(size, place), place); }
  /// Such a block that the program can do without.
  void add_optional(Bytes size, std::uint32_t place);

  /// The model is on the GPU there.
  void loaded_at(std::uint32_t place) { insertions_.push_back({place, kNone, false}); }

  /// The resulting plan. `stages` has one entry for each event, and one more.
  Plan finish(const std::vector<Stage>& stages) &&;

 private:
  struct Insertion {
    std::uint32_t place = 0;
    std::uint32_t block = 0;  ///< kNone: the model is on the GPU
    bool is_free = false;
    bool is_optional = false;
  };

  const Timeline& timeline_;
  std::vector<Bytes> sizes_;
  std::vector<bool> dropped_;
  std::vector<bool> alloc_moved_;
  std::vector<bool> free_moved_;
  std::vector<Insertion> insertions_;
};

}  // namespace dryfit::estimate
