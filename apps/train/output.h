// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace dryfit::training {

/// Says what went wrong, and returns the exit code.
int fail(const Error& error, int code = 1);

/// Prints lines with the seconds since it was made.
std::function<void(const std::string& line)> progress();

/// Hours of training should not end at a missing folder.
Status check_folder_of(const std::filesystem::path& file);

Status write_text(const std::string& text, const std::filesystem::path& file);

}  // namespace dryfit::training
