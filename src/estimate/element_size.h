// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "estimate/profile.h"

namespace dryfit::estimate {

/// Bytes per element of a type as the profiler names it: "float", "c10::Half", "long int". None: not a tensor type.
std::optional<std::uint64_t> element_size(std::string_view type);

/// Elements of a tensor with these dimensions; none: a negative one, or too many for a 64-bit number.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& dims);

/// Size of a tensor that is given as an input; none: it is not a tensor.
std::optional<Bytes> tensor_size(const Input& input);

}  // namespace dryfit::estimate
