// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dryfit::estimate {

/// An operator's inputs (an entry of Profile::inputs) at another batch, from those at several. None unless dimensions
/// and strides grow as in Note [Growth with the batch] and types are the same; other numbers (a scale, the end of a
/// slice) that do not grow so keep their value at the smallest batch.
std::optional<std::string> grown_inputs(std::span<const std::string_view> texts, std::span<const std::uint64_t> batches,
                                        std::uint64_t batch);

}  // namespace dryfit::estimate
