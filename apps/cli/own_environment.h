// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dryfit::cli {

/// The environment that we were started with, as "NAME=value".
std::vector<std::string> own_environment();

}  // namespace dryfit::cli
