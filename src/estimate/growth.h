// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace dryfit::estimate {

/// Note [Growth with the batch]: sizes in a training step are proportional to the batch, or independent of it. So a
/// number that was seen at several batches
///
///     is the same at all          c
///     grows in proportion         k · batch
///     or, with three or more,     c + k · batch
///
/// The first two have one unknown each, which the first batch settles and every further one proves; the third has two
/// unknowns and needs a third batch for its proof. Everything else (the square of a batch, a size that depends on
/// values, one that is rounded up) cannot be extrapolated.
enum class Growth { constant, proportional, affine };

struct Grown {
  std::int64_t value = 0;
  Growth growth = Growth::constant;
};

/// The number at `batch`. `values[i]` is the value at `batches[i]`; at least two, the batches rising. None: it does not
/// grow like this, or would be a fraction or negative there.
std::optional<Grown> grown(std::span<const std::int64_t> values, std::span<const std::uint64_t> batches,
                           std::uint64_t batch);

}  // namespace dryfit::estimate
