// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/run_summary.h"
#include "harvest_grid.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// The job's description for `job.py run`, and as a part of its row.
std::string description_of(const HarvestJob& job);

/// What a job's run on its card told.
struct Measured {
  verdict::Verdict verdict;
  std::string layers;   ///< what the job wrote about its layers; empty where it did not come so far
  std::string failure;  ///< the last line that it printed, where it could not be told
};

/// Whether a row says what each layer of the model did.
enum class RowLayers { told, left_out };

/// One line of the harvest, without the line break: docs/harvest.md. `compute` without steps: not known.
std::string row_text(const HarvestJob& job, const std::string& key, std::string_view version, const Measured& measured,
                     const analysis::Compute& compute, RowLayers layers = RowLayers::told);

}  // namespace dryfit::cli
