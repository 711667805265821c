// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "simulator/device.h"
#include "whatif/conditions.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// Where new segments are placed when a recording is replayed. Under the recorded configuration: where a recorded
/// segment of that size was. Otherwise: where a driver with that order of addresses would put them, apart from the
/// segments that exist at the start.
std::unique_ptr<simulator::AddressPolicy> addresses_for(const Recording& recording, const Conditions& conditions);

/// Where new segments are placed in a process that has none yet.
std::unique_ptr<simulator::AddressPolicy> fresh_addresses(AddressOrder order);

}  // namespace dryfit::whatif
