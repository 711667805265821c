// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace dryfit::meter {

/// Whether `ancestor` is the parent of the process `pid`, or that one's parent, and so on; false for a process that is
/// not there. `proc` is where the kernel tells it.
bool descends_from(pid_t pid, pid_t ancestor, const std::filesystem::path& proc = "/proc");

}  // namespace dryfit::meter
