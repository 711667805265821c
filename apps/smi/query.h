// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "smi/arguments.h"
#include "smi/gpus.h"

namespace dryfit::smi {

/// The lines of --query-gpu. A field that nvidia-smi does not have makes it an error text that begins with "Field ".
std::string query_gpus(std::span<const Gpu> gpus, const Arguments& arguments);

/// The lines of --query-compute-apps: no process is ever on the simulated GPU of another.
std::string query_processes(const Arguments& arguments);

}  // namespace dryfit::smi
