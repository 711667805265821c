// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dryfit::training {

/// Whether --harvest is among the arguments.
bool asks_for_harvest(int argc, const char* const* argv);

/// Predicts the jobs of a harvest out of fold and prints the errors; with --model, also trains the model to keep on all
/// jobs, with its bounds calibrated on those predictions. Returns the exit code.
int train_on_harvest(int argc, const char* const* argv);

}  // namespace dryfit::training
