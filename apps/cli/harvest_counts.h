// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "analysis/run_summary.h"
#include "card/card.h"
#include "harvest_grid.h"

namespace dryfit::cli {

/// Whether a run under this version of PyTorch may count without changing its memory use: Note [Counting apart] in
/// verdict/counting.h. A test compares the allocations with and without counting.
bool may_count_while_measuring(std::string_view torch);

/// Floating-point operations that are already known. Many jobs of a grid compute the same: those that differ only in
/// the card (unless it has another chip, and so other kernels) or only in an optimizer that works element by element.
class HarvestCounts {
 public:
  /// Null: not counted yet. Without steps: counting was tried and failed.
  const analysis::Compute* find(const HarvestJob& job, const Card& card) const;
  void put(const HarvestJob& job, const Card& card, analysis::Compute compute);

 private:
  std::map<std::string, analysis::Compute> known_;
};

}  // namespace dryfit::cli
