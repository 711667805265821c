// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "harvest_grid.h"

namespace dryfit::cli {

/// The script that runs a job, in the folder of the hooks.
std::filesystem::path job_script(const std::filesystem::path& hooks);

/// Lists the models of a Python environment. Blocks until it has answered.
Result<ModelCatalogue> models_in(const std::string& python, const std::filesystem::path& hooks);

}  // namespace dryfit::cli
