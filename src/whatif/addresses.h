// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "simulator/device.h"
#include "whatif/conditions.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// Where new segments lie when a recording is played. Under the recorded configuration, where a recorded segment of
/// that size lay; else where a driver with that order of addresses would put them, apart from those that are there at
/// the start.
std::unique_ptr<simulator::AddressPolicy> addresses_for(const Recording& recording, const Conditions& conditions);

/// Where new segments lie in a process that has none yet.
std::unique_ptr<simulator::AddressPolicy> fresh_addresses(AddressOrder order);

}  // namespace dryfit::whatif
