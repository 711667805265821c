// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "explain/difference.h"
#include "report/style.h"

/// What changed between two runs, for people and for programs. `limit` is the number of rows per table.
namespace dryfit::report {

std::string difference_text(const explain::Difference& difference, std::size_t limit, const Style& style);

/// For a comment on a pull request; details are collapsed.
std::string difference_markdown(const explain::Difference& difference, std::size_t limit);

/// All rows, on one line.
std::string difference_json(const explain::Difference& difference);

/// "+1.20 GiB", "-512 B", "0 B".
std::string change_text(std::int64_t bytes);

}  // namespace dryfit::report
