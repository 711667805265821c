// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dryfit::nvml {

/// The Linux driver that shipped with a CUDA release ("550.54.14" for 12040), from the table in the CUDA release notes.
/// A release between two known ones gets the older one's driver.
std::string_view driver_release(int cuda_version);

}  // namespace dryfit::nvml
