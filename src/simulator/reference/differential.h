// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dryfit::simulator {

/// Interprets bytes as a version, a config, a device and a sequence of calls, and makes these calls on CachingAllocator
/// and on ReferenceAllocator. Returns the first difference in answers, statistics or layout; nothing if there is none.
/// Any bytes are valid.
std::optional<std::string> first_difference(std::span<const std::uint8_t> input);

}  // namespace dryfit::simulator
