// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "report/style.h"
#include "verdict/counting.h"
#include "verdict/verdict.h"

namespace dryfit::report {

/// The verdicts for a person, on one screen and no wider than it. One GPU: the answer and by how much, the memory as a
/// bar with its parts, and how each was obtained. Several: a table with the failures first, then what went wrong on the
/// GPUs where the job does not fit or where that is unknown, and what it would need there if another GPU of the same
/// invocation shows it. What a step computes is included where it was counted.
std::string terminal_text(std::span<const verdict::Verdict> verdicts, const Style& style,
                          const std::optional<verdict::Counting>& counting = std::nullopt);

/// That values the program printed were not computed; empty where no program ran.
std::string values_note(std::span<const verdict::Verdict> verdicts, const Style& style);

}  // namespace dryfit::report
