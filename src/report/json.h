// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/explanation.h"
#include "verdict/counting.h"
#include "verdict/verdict.h"

namespace dryfit::report {

/// "fits", "tight", "does-not-fit", "cannot-tell": as programs read it.
const char* answer_word(verdict::Answer answer);

/// The counted imperfections, in the order of their names.
nlohmann::ordered_json diagnostics_json(const Diagnostics& diagnostics);

/// The request that failed, as in a report and in a harvested row; null where there is none.
nlohmann::ordered_json oom_json(const verdict::Verdict& verdict);

/// The verdicts for a program, as one line of JSON (docs/json.md explains each key). Keys are always present and in the
/// same order; unknown values are null. Sizes are bytes. Text that is not UTF-8 is repaired with U+FFFD. What a step
/// computes is included only where it was counted.
/// What takes a GPU's memory is part of its result, null where that is unknown.
std::string json_text(std::string_view version, const std::vector<std::string>& command,
                      std::span<const verdict::Verdict> verdicts,
                      const std::optional<verdict::Counting>& counting = std::nullopt,
                      std::span<const explain::Explanation* const> explanations = {});

}  // namespace dryfit::report
