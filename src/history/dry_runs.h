// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "history/imported.h"

namespace dryfit::history {

/// The host of records that no GPU was used for.
inline constexpr const char* kNoHost = "dry-run";

/// Whether a record is of a dry run, and so not of what a job really used.
bool is_dry(const Record& record);

/// A report of `dryfit run --json` (docs/json.md): a record per card. One that could not be told is left out. Of a job
/// that does not fit, the peak is what the failed request would have made it.
Result<Imported> import_report(std::string_view text);

/// Lines of `dryfit harvest` (docs/harvest.md), likewise.
Result<Imported> import_harvest(std::string_view text);

}  // namespace dryfit::history
