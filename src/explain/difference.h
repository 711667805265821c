// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "explain/explanation.h"
#include "explain/shares.h"

namespace dryfit::explain {

/// What something held at the peaks of two runs.
struct Change {
  std::string name;
  Bytes before;
  Bytes after;

  std::int64_t by() const { return static_cast<std::int64_t>(after.count) - static_cast<std::int64_t>(before.count); }
};

/// What changed between the peaks of two runs.
struct Difference {
  Change allocated;
  Change reserved;
  Change outside;                  ///< 0 where it is not known
  std::vector<Change> categories;  ///< in their order; those that neither run has are left out
  // What differs, the largest change first; together with what does not, this is everything that was allocated.
  std::vector<Change> modules;  ///< by pattern: `h.*` is all blocks
  std::vector<Change> lines;    ///< by file and function where the runs have different lines of it, as after an edit
  std::vector<Change> operators;
};

Difference difference_of(const Explanation& before, const Explanation& after);

}  // namespace dryfit::explain
