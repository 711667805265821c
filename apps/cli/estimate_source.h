// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "estimate/recording.h"

namespace dryfit::cli {

/// The profile to estimate from: that of a single trace, or several traces of the same job at smaller batches (`dryfit
/// profile --shrink`), extrapolated to `batch`. Without a `batch`, the one that the program requested is used.
Result<estimate::Recording> read_traces(const std::vector<std::filesystem::path>& traces,
                                        std::optional<std::uint64_t> batch, const estimate::Progress& progress = {});

}  // namespace dryfit::cli
