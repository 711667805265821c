// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "estimate/profile.h"

namespace dryfit::estimate {

/// Of a type as the profiler names it: "float", "c10::Half", "long int". None: no type of a tensor.
std::optional<std::uint64_t> element_size(std::string_view type);

/// Elements of a tensor of these dimensions; none: negative, or more than fit a number.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& dims);

/// Of a tensor that is given as an input; none: it is no tensor.
std::optional<Bytes> tensor_size(const Input& input);

}  // namespace dryfit::estimate
