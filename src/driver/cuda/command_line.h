// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace dryfit::driver {

/// What a process runs, in one line and without the folder of its program: "python train.py --batch 8". Cut after 200
/// bytes; empty if it cannot be read.
std::string command_line(std::uint32_t pid);

}  // namespace dryfit::driver
