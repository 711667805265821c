// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harvest_grid.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// The job's description for `job.py run`, and as a part of its row.
std::string description_of(const HarvestJob& job);

/// One line of the harvest, without the line break: docs/harvest.md. `layers` is what the job wrote about its layers,
/// empty where it did not come so far. `failure` is the last line that a job printed which could not be told.
std::string row_text(const HarvestJob& job, const std::string& key, std::string_view version,
                     const verdict::Verdict& verdict, std::string_view layers, const std::string& failure);

}  // namespace dryfit::cli
