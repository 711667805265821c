// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "estimate/byte_source.h"
#include "estimate/profile.h"

namespace dryfit::estimate {

/// Called now and then while a long file is read, with the share that has been read.
using Progress = std::function<void(double)>;

/// Reads a trace of torch.profiler. An Error if it is something else, or has no memory data; a trace that was cut off
/// or is damaged is read up to that place, and `damage` says so. Messages call it `name`.
Result<Profile> read_profile(ByteSource& source, const std::string& name, const Progress& progress = {});

/// The same for a file, plain or compressed.
Result<Profile> read_profile(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace dryfit::estimate
