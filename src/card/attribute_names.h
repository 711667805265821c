// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace dryfit {

/// An enumerator of CUdevice_attribute (cuda.h of CUDA 13.4) without its prefix, in lower case; where the header has
/// two names for one number, the one that is not deprecated.
struct AttributeName {
  int number = 0;
  std::string_view name;
};

/// All attributes, by ascending number.
std::span<const AttributeName> attribute_names();

std::optional<int> attribute_number(std::string_view name);

/// Empty for a number that the header does not have.
std::string_view attribute_name(int number);

}  // namespace dryfit
