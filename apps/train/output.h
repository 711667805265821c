// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace dryfit::training {

/// Prints the error and returns the exit code.
int fail(const Error& error, int code = 1);

/// A function that prints lines, each with the seconds since progress() was called.
std::function<void(const std::string& line)> progress();

/// An Error if the folder of `file` is missing, so that hours of training don't fail at their end.
Status check_folder_of(const std::filesystem::path& file);

Status write_text(const std::string& text, const std::filesystem::path& file);

}  // namespace dryfit::training
