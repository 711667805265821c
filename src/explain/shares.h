// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "explain/explanation.h"

/// Who holds what at the moment that is explained, summed up for tables.
namespace dryfit::explain {

/// What allocations have in common.
enum class By { category, module, line, op };
std::optional<By> parse_by(std::string_view text);  ///< "category", "module", "line", "operator"
std::string_view to_text(By by);

/// What a group of allocations holds.
struct Share {
  std::string name;  ///< "GPT2.h.*.attn"; "train.py:42 main"; empty: not known
  Bytes bytes;       ///< as PyTorch counts them
  Bytes requested;
  std::size_t allocations = 0;
  std::size_t modules = 0;                    ///< By::module: number of different modules that match `name`
  std::array<Bytes, kCategories> categories;  ///< `bytes` by category

  /// The category that holds most of it.
  Category main() const;
};

struct ShareOptions {
  By by = By::module;
  bool each = false;                 ///< By::module: `h.0` and `h.1` apart, not as `h.*`
  std::optional<std::size_t> depth;  ///< By::module: keep only this many parts of the path
};

/// The groups, the largest first, equal ones by name. Together they are everything that was allocated.
std::vector<Share> shares_of(const Explanation& explanation, const ShareOptions& options);

/// "GPT2.h.*.mlp.0": a `*` replaces numbers inside a path, also those after an underscore.
std::string pattern_of(std::string_view module);

/// "train.py:42 main": the last part of the path; empty for kNone.
std::string line_text(const Explanation& explanation, LineId line);

/// Whether it is live at the moment that is explained.
inline bool at_peak(const Explanation& explanation, const Allocation& allocation) {
  return allocation.born <= explanation.peak.event && explanation.peak.event < allocation.died;
}

}  // namespace dryfit::explain
