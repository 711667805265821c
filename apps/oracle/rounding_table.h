// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "mismatch.h"

namespace dryfit::oracle {

/// Compares each row of a table "version conf request rounded reserved" with one allocation on an empty allocator; a
/// row of dashes means that the version refuses the conf.
Result<Comparison> compare_rounding_table(const std::string& path);

}  // namespace dryfit::oracle
