// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "snapshot/budget.h"
#include "snapshot/fields.h"
#include "snapshot/pickle.h"
#include "snapshot/snapshot.h"
#include "snapshot/stack_table.h"

namespace dryfit::snapshot {

/// Reads the segments of a snapshot, with their blocks.
class SegmentReader {
 public:
  SegmentReader(const Pickle& pickle, StackTable& stacks, Budget& budget, Diagnostics& diagnostics)
      : pickle_(pickle), stacks_(stacks), budget_(budget), diagnostics_(diagnostics) {}

  /// None if the segment is not usable (counted) or the budget is exhausted.
  std::optional<Segment> read(Value value);

 private:
  void read_blocks(const Fields& fields, Segment& segment);
  std::optional<Block> read_block(Value value, Address end_of_last);
  StackId stack_of(const Fields& fields);
  bool affordable(Value container);

  const Pickle& pickle_;
  StackTable& stacks_;
  Budget& budget_;
  Diagnostics& diagnostics_;
};

}  // namespace dryfit::snapshot
