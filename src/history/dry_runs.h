// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The host in records of dry runs, which use no GPU.
inline constexpr const char* kNoHost = "dry-run";

/// Whether a record is from a dry run, and so does not show what a job really used.
bool is_dry(const Record& record);

/// A report of `dryfit run --json` (docs/json.md): a record per GPU. Results without a verdict are left out. For a job
/// that does not fit, the peak is what the failed request would have made it.
Result<Imported> import_report(std::string_view text);

/// The same for lines of `dryfit harvest` (docs/harvest.md).
Result<Imported> import_harvest(std::string_view text);

}  // namespace dryfit::history
