// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "smi/gpus.h"

namespace dryfit::smi {

/// What nvidia-smi prints without options.
std::string table(std::span<const Gpu> gpus, const std::string& cuda);

/// -L
std::string list(std::span<const Gpu> gpus);

/// -q: the parts that scripts look for.
std::string details(std::span<const Gpu> gpus, const std::string& cuda);

/// topo -m: GPUs that reach each other through the host.
std::string topology(std::span<const Gpu> gpus);

}  // namespace dryfit::smi
