// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_summary.h"

namespace dryfit::analysis {

/// A device that several processes of a run used.
struct SharedDevice {
  std::uint32_t slot = 0;
  DeviceSummary peak;           ///< of all processes together: only the peak, its parts and its moment are set
  std::vector<Holder> holders;  ///< who held it then
  Bytes coinciding_peak;        ///< if all processes that were there at the same time had had their own peaks at once
};

/// Goes through the traces of all processes of a run together, in the order in which things happened, and finds when
/// each device that several of them used was fullest. The driver records requests in the order in which the ledger met
/// them (Note [The ledger] in card/memory_ledger.h). `summaries` are those of the same traces.
std::vector<SharedDevice> shared_devices(std::span<const ProcessSummary> summaries,
                                         std::span<const std::filesystem::path> traces);

/// What the process ran, as one of the processes recorded it; empty if none did.
std::string command_of(std::uint32_t pid, std::span<const ProcessSummary> summaries);

/// Fills in the commands of the holders in failed requests, which the process that failed need not have known.
void name_holders(std::span<ProcessSummary> summaries);

}  // namespace dryfit::analysis
