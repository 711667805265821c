// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "estimate/profile.h"

namespace dryfit::estimate {

inline constexpr std::string_view kOptimizerStep = "Optimizer.step#";

/// What the name of a span implies for everything below it.
enum class Meaning : std::uint8_t {
  nothing,
  backward,
  optimizer,
  zero_grad,
  loaded,
  to_device,
  to_host,
  loader,
  gradient
};

Meaning meaning_of(std::string_view name);

/// The same for every name.
std::vector<Meaning> meanings_of(const TextTable& names);

}  // namespace dryfit::estimate
