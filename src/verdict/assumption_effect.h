// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/run_summary.h"

namespace dryfit::verdict {

/// What an assumption can change, the most important first. A value that was only read may be a metric that the program
/// prints.
enum class Effect { size, branch, reading };

Effect effect_of(const analysis::Assumption& assumption);

}  // namespace dryfit::verdict
