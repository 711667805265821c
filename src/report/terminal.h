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

/// The verdicts for a person, on one screen. One card: the answer, its numbers, and how each was obtained. Several: a
/// table in the order given, then what went wrong with the cards that do not fit or cannot be told. What a step
/// computes is a line, where it was to be counted.
std::string terminal_text(std::span<const verdict::Verdict> verdicts, const Style& style,
                          const std::optional<verdict::Counting>& counting = std::nullopt);

}  // namespace dryfit::report
