// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "launch/writes.h"
#include "report/style.h"

/// What became of the files that a program wrote in a dry run.
namespace dryfit::report {

/// The note at the end of a report; empty if nothing was written, or the user wanted to keep it.
std::string writes_note(const std::optional<launch::Writes>& writes, const Style& style);

/// Why the user's files were not protected, as a clause; empty if they were, or were not to be.
std::string writes_warning(const std::optional<launch::Writes>& writes);

/// null where the user wanted to keep what was written.
nlohmann::ordered_json writes_json(const std::optional<launch::Writes>& writes);

}  // namespace dryfit::report
