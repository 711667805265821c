// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dryfit::training {

/// Whether --harvest is among the arguments.
bool asks_for_harvest(int argc, const char* const* argv);

/// Predicts the jobs of a harvest out of fold, says how good that is, and, when asked to, trains the model that is kept
/// on all of them, its bounds calibrated on those predictions. The exit code.
int train_on_harvest(int argc, const char* const* argv);

}  // namespace dryfit::training
