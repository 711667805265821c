// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/sharing.h"

namespace dryfit::verdict {

/// What all processes of a job did on one device. A process that became another program by exec is one process: it never
/// held the memory of both at once.
struct DeviceTotal {
  analysis::DeviceSummary device;  ///< sizes and counts added up; moments are those of the largest process
  int processes = 0;
  const analysis::SharedDevice* shared = nullptr;  ///< set: the peak and its moment are those of all together
};

/// One total per device that any process used, by slot. Points into `shared`.
std::vector<DeviceTotal> add_up(std::span<const analysis::ProcessSummary> processes,
                                std::span<const analysis::SharedDevice> shared);

/// The fullest device; nullptr when there is none.
const DeviceTotal* fullest(std::span<const DeviceTotal> totals);

}  // namespace dryfit::verdict
