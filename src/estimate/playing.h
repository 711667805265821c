// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/run_summary.h"
#include "card/card.h"
#include "estimate/plan.h"

namespace dryfit::estimate {

struct Conditions;

/// Plays a plan through the model of PyTorch's allocator, on a card that has what PyTorch does not see taken off
/// already. Stops at the first request that cannot be met.
analysis::DeviceSummary play(const Plan& plan, const Card& card, const Conditions& conditions);

}  // namespace dryfit::estimate
