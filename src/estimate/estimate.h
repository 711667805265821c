// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/run_summary.h"
#include "card/card.h"
#include "card/machine.h"
#include "card/memory_share.h"
#include "estimate/convolution_workspace.h"
#include "estimate/orchestrator.h"
#include "estimate/recording.h"
#include "estimate/windows.h"
#include "simulator/alloc_config.h"
#include "simulator/torch_version.h"
#include "whatif/recording.h"

/// An estimate of the memory that a program needs on a GPU, from its profile on the CPU: Analyzer → Orchestrator →
/// Lowering → Simulator (docs/estimate.md), one window of the profile after the other (Note [Windows]).
namespace dryfit::estimate {

/// A window of a profile, put in order. Serves any number of cards.
struct Analysis {
  Timeline timeline;
  Structure structure;
};

/// The Analyzer.
class Analyzer {
 public:
  /// `recording` must outlive it. It is marked as damaged if it cannot be read to its end.
  explicit Analyzer(Recording& recording, std::size_t large_window = Windows::kLarge);

  /// The next window; none: there are no more.
  std::optional<Analysis> next();
  /// How much of the recording has been read, from 0 to 1.
  double progress() const { return windows_.progress(); }
  /// What the windows so far contained.
  const Past& past() const { return past_; }
  bool forward_seen() const { return forward_seen_; }
  bool backward_seen() const { return backward_seen_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Recording& recording_;
  Windows windows_;
  std::vector<LiveBlock> live_;
  Past past_;
  bool forward_seen_ = false;
  bool backward_seen_ = false;
  Diagnostics diagnostics_;
};

struct Conditions {
  simulator::TorchVersion torch = simulator::TorchVersion::newest();
  simulator::AllocConfig config;
  std::optional<MemoryShare> cap;  ///< of PyTorch's allocator
  AddressOrder address_order = AddressOrder::chunk;
  const Workspaces* workspaces = nullptr;  ///< of convolutions; null: not known
};

struct Estimate {
  analysis::ProcessSummary process;  ///< as from a dry run of the same program
  std::vector<Gap> gaps;
  std::optional<whatif::Recording> recording;  ///< what was played; none: too much to keep, or a request failed
};

/// The allocations and frees that the program would make on a GPU, passed to `each_plan` window by window.
using EachPlan = std::function<void(const Plan& plan, const std::vector<std::uint32_t>& carried)>;
Findings plan_for(Recording& recording, const Card& card, const Conditions& conditions, const EachPlan& each_plan,
                  std::size_t large_window = Windows::kLarge);

/// Plays the plans through PyTorch's allocator on each of the GPUs.
std::vector<Estimate> estimate(Recording& recording, const std::vector<Card>& cards, const Conditions& conditions,
                               const Progress& progress = {});

}  // namespace dryfit::estimate
