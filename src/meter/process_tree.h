// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace dryfit::meter {

/// Whether `ancestor` is the parent of the process `pid`, or its parent's parent, and so on; false if there is no such
/// process. `proc` is where the proc filesystem is mounted.
bool descends_from(pid_t pid, pid_t ancestor, const std::filesystem::path& proc = "/proc");

}  // namespace dryfit::meter
