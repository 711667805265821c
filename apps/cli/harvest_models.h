// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "harvest_grid.h"

namespace dryfit::cli {

/// The script that is each job, in the folder of the hooks.
std::filesystem::path job_script(const std::filesystem::path& hooks);

/// Asks a Python environment which models it has. Waits for the answer.
Result<ModelCatalogue> models_in(const std::string& python, const std::filesystem::path& hooks);

}  // namespace dryfit::cli
