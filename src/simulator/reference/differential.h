// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dryfit::simulator {

/// Takes bytes for a version, a config, a device and a sequence of calls, and makes these calls on CachingAllocator and
/// on ReferenceAllocator. Says what differed first, in answers, statistics or layout; nothing if nothing did. Any bytes
/// will do.
std::optional<std::string> first_difference(std::span<const std::uint8_t> input);

}  // namespace dryfit::simulator
