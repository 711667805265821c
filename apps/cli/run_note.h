// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace dryfit::cli {

/// Which run "last" or "last~1" is: its command and age, and whether it ended in "cannot tell". For "last" also that a
/// later run left nothing to show. One line each; empty for a run that has a name of its own, and for the last run in its
/// first minute if it has an answer.
std::string note_on_run(const std::string& run, const std::vector<std::string>& environment,
                        std::chrono::system_clock::time_point now);

/// Prints it to stderr, for this process.
void print_note_on_run(const std::string& run);

}  // namespace dryfit::cli
