// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/style.h"
#include "verdict/verdict.h"

/// What `dryfit limits` prints: the limits of a job on one GPU, the curve of caps, and lines that set a limit.
namespace dryfit::report {

/// For a person. The verdict has limits. `of` says what they are of: "python train.py", "last".
std::string limits_text(const verdict::Verdict& verdict, const std::string& of, const Style& style);

/// The entry `limits` of a result in the JSON reports (docs/json.md); null without limits.
nlohmann::ordered_json limits_json(const verdict::Verdict& verdict);

}  // namespace dryfit::report
