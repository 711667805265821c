// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "smi/nvml.h"

namespace dryfit::smi {

/// What nvidia-smi prints of one GPU, by the names of --query-gpu, without units. What is not known is "[N/A]".
using Gpu = std::map<std::string, std::string, std::less<>>;

constexpr const char* kUnknown = "[N/A]";

std::vector<Gpu> read_gpus(const Nvml& nvml);

/// "12.4"
std::string cuda_version(const Nvml& nvml);

/// The unit that nvidia-smi prints for a field: "MiB"; empty: none.
std::string unit_of(const std::string& field);

}  // namespace dryfit::smi
