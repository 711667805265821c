// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace dryfit::driver {

/// The bytes of a file; nothing if it cannot be read. Uses plain system calls: streams would bring locales into the
/// user's process.
std::vector<char> read_file(const char* path);

}  // namespace dryfit::driver
