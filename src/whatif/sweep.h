// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "whatif/answer.h"

namespace dryfit::whatif {

/// The configurations worth comparing under a version of PyTorch: its default first, then the recorded one, then each
/// option alone and the combinations that can help. Garbage collection only with a limit, since it has no effect
/// without one.
std::vector<std::string> sensible_configurations(const Recording& recording, const Question& question);

struct Swept {
  std::string alloc_conf;  ///< empty: the default
  Answer answer;
};

struct Sweep {
  std::vector<Swept> all;
  /// Index into `all`: the best verdict (fits, tight, cannot tell), then the fewest retries, then the lowest peak
  /// reserved; the first of equals. The default, if it is within 1 % of the best peak. None: none of them fits.
  std::optional<std::size_t> best;
};

/// Answers the question under each configuration in turn. `configurations` must be valid for the version.
Result<Sweep> sweep(const Question& question, const std::vector<std::string>& configurations);

}  // namespace dryfit::whatif
