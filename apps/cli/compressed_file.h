// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/bytes.h"
#include "base/result.h"

namespace dryfit::cli {

/// Called now and then with the share that is done.
using Done = std::function<void(double)>;

/// Writes `source`, compressed when `target` ends in ".gz", in small pieces. The whole of it, or `target` stays as it
/// was. Gives the size of what was written.
Result<Bytes> store_compressed(const std::filesystem::path& source, const std::filesystem::path& target,
                               const Done& done = {});

}  // namespace dryfit::cli
