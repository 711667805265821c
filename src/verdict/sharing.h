// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "verdict/device_total.h"
#include "verdict/memory_failure.h"
#include "verdict/verdict.h"

namespace dryfit::verdict {

/// Who shared the device; nothing if one process had it alone, or if they were counted apart.
std::optional<Sharing> sharing_of(const DeviceTotal& total);

/// The process whose request failed, with what it held of the device's `capacity` then.
analysis::Holder failed_process(const MemoryFailure& failure, const RunFacts& facts, Bytes capacity);

/// "process 4242 (python train.py)"
std::string name_of(const analysis::Holder& process);

/// Where a request failed and who held memory then, to follow what failed: " in process 2 (b.py), while process 1 (a.py)
/// held 5.00 GiB". Empty if nobody else held any.
std::string crowd_text(const analysis::Holder& failed, const analysis::FailedRequest& request);

}  // namespace dryfit::verdict
