// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/run_summary.h"
#include "base/result.h"
#include "card/card.h"
#include "card/machine.h"
#include "estimate/convolution_workspace.h"
#include "estimate/orchestrator.h"
#include "estimate/profile_reader.h"
#include "simulator/alloc_config.h"
#include "simulator/torch_version.h"

/// An estimate of what a program takes on a card, from a profile of it on the CPU: Analyzer → Orchestrator → Lowering
/// → Simulator (docs/estimate.md).
namespace dryfit::estimate {

/// A profile that was read and put in order. Serves any number of cards.
struct Analysis {
  Profile profile;
  Timeline timeline;
  Structure structure;
};

/// The Analyzer.
Analysis analyse(Profile profile);

struct Conditions {
  simulator::TorchVersion torch = simulator::TorchVersion::newest();
  simulator::AllocConfig config;
  AddressOrder address_order = AddressOrder::chunk;
  const Workspaces* workspaces = nullptr;  ///< of convolutions; null: not known
};

struct Estimate {
  analysis::ProcessSummary process;  ///< as a dry run of the same program would tell it
  std::vector<Gap> gaps;
};

/// What the program would ask the card's allocator for.
Plan plan_for(const Analysis& analysis, const Card& card, const Conditions& conditions, std::vector<Gap>& gaps,
              Diagnostics& diagnostics);

/// The plan played through PyTorch's allocator on that card.
Estimate estimate(const Analysis& analysis, const Card& card, const Conditions& conditions);

}  // namespace dryfit::estimate
