// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/run_summary.h"
#include "harvest_grid.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// The job's description, as `job.py run` takes it and as its row contains it.
std::string description_of(const HarvestJob& job);

/// The result of a job's run on its card.
struct Measured {
  verdict::Verdict verdict;
  std::string layers;   ///< what the job wrote about its layers; empty if it didn't get that far
  std::string failure;  ///< the last line that it printed, if it failed
};

/// Whether a row contains data for each layer of the model.
enum class RowLayers { included, omitted };

/// One line of the harvest, without the line break: docs/harvest.md. A `compute` without steps means unknown.
std::string row_text(const HarvestJob& job, const std::string& key, std::string_view version, const Measured& measured,
                     const analysis::Compute& compute, RowLayers layers = RowLayers::included);

}  // namespace dryfit::cli
