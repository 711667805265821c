// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/style.h"
#include "report/table.h"

namespace dryfit::cli {

bool is_terminal(int fd);

/// How text may look on `fd`: colour on a terminal unless NO_COLOR is set or TERM is dumb; UTF-8 when the locale says
/// so.
report::Style style_for(int fd);

/// Columns of the terminal at `fd`; 80 if that is unknown.
std::size_t columns_of(int fd);

/// A list for stdout: on a terminal with the columns that have room, at least the first `least`; else with all of them.
std::string list_text(const std::vector<std::vector<report::Cell>>& rows, std::size_t least);

/// "dryfit: <what>" and the hint on stderr. Returns `exit_code`.
int fail(const Error& error, int exit_code);

/// Writes all of it to stdout; false when it cannot be written.
bool print(std::string_view text);

}  // namespace dryfit::cli
