// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harvest_grid.h"

namespace dryfit::cli {

/// Deals the jobs out in turn, so that each share is a fair sample of the whole and takes about as long as the others.
/// There are at most `tasks` shares, and none is empty.
std::vector<std::vector<HarvestJob>> shares_of(const std::vector<HarvestJob>& jobs, std::size_t tasks);

/// A grid of exactly these jobs, in JSON.
std::string grid_text(const std::vector<HarvestJob>& jobs);

}  // namespace dryfit::cli
