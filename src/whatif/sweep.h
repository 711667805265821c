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
/// option alone and the combinations that can help. Garbage collection only with a limit, since it does nothing
/// without.
std::vector<std::string> sensible_configurations(const Recording& recording, const Question& question);

struct Swept {
  std::string alloc_conf;  ///< empty: the default
  Answer answer;
};

struct Sweep {
  std::vector<Swept> all;
  /// Of `all`: the lowest peak reserved of those that did not run out of memory; of several the first. None: all did.
  std::optional<std::size_t> best;
};

/// Answers the question under each configuration in turn. `configurations` must be ones that the version takes.
Result<Sweep> sweep(const Question& question, const std::vector<std::string>& configurations);

}  // namespace dryfit::whatif
