// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "history/database.h"

namespace dryfit::history {

/// The steps from an empty file (version 0) to the current version: step i leads from version i to i + 1. A released
/// step never changes; a new form of the data is a new step.
std::span<const std::string_view> schema_steps();

/// An Error if the file holds something else, or has a newer version. Writes nothing.
Status check_schema(Database& database, std::span<const std::string_view> steps = schema_steps());

/// Brings a file to the version that `steps` lead to, in one transaction. Errors are those of check_schema(), and then
/// nothing is changed.
Status migrate(Database& database, std::span<const std::string_view> steps = schema_steps());

}  // namespace dryfit::history
