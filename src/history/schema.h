// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "history/database.h"

namespace dryfit::history {

/// The steps that lead from an empty file (version 0) to the present one: the i-th leads from version i to i + 1. A
/// step that was released is never changed; a new form of the data is a new step.
std::span<const std::string_view> schema_steps();

/// An Error when the file holds something else, or is of a newer version. Writes nothing.
Status check_schema(Database& database, std::span<const std::string_view> steps = schema_steps());

/// Brings a file to the version that `steps` lead to, in one transaction. An Error as of
/// check_schema(), and nothing is changed then.
Status migrate(Database& database, std::span<const std::string_view> steps = schema_steps());

}  // namespace dryfit::history
