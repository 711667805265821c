// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

namespace dryfit::cli {

/// Where the parts of an installed Dryfit are.
struct Resources {
  std::filesystem::path driver;        ///< libcuda.so.1 and libnvidia-ml.so.1
  std::filesystem::path hooks;         ///< sitecustomize.py
  std::filesystem::path cards;         ///< *.toml
  std::filesystem::path convolutions;  ///< workspaces of cuDNN, a table for each chip
};

/// Looks for them relative to an executable <prefix>/bin/dryfit, in the layout of cmake/Install.cmake. In a wheel the
/// hooks are part of the Python package and stand at <prefix>/hooks.
Result<Resources> find_resources(const std::filesystem::path& executable);

/// The same, relative to the running executable.
Result<Resources> find_resources();

}  // namespace dryfit::cli
