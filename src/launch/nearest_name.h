// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace dryfit::launch {

/// Letters to insert, delete, change or swap with their neighbour to make one word of the other (optimal string
/// alignment: no letter is edited twice).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that a slip of the hand could have turned into `typed`: at most one edit for every three letters;
/// the first in the alphabet of those equally near. Empty when there is none. `at_least` edits are allowed in a short
/// name too.
std::string nearest_name(std::string_view typed, const std::set<std::string>& candidates, std::size_t at_least = 0);

}  // namespace dryfit::launch
