// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "card/catalogue.h"
#include "fleet.h"
#include "launch/job.h"
#include "resources.h"
#include "run_options.h"
#include "verdict/verdict.h"
#include "work_folder.h"

/// The dry runs of one invocation: `dryfit run`, and what else runs the user's command on simulated GPUs.
namespace dryfit::cli {

/// Everything that one invocation works with.
struct Session {
  RunOptions options;
  Resources resources;
  Catalogue catalogue;
  std::vector<CardFile> cards;  ///< as limited by the options
  WorkFolder folder;

  std::size_t orders() const { return options.address_orders.size(); }

  /// The folder of the run with that order; the first has the GPU's own folder.
  std::filesystem::path folder_of(const CardFile& card, std::size_t order = 0) const;
};

/// Checks all that can be checked before something runs. None: it was said on stderr what is wrong, and `exit_code` is
/// set.
std::optional<Session> open_session(const RunOptions& options, int& exit_code);

/// The user's command in that folder, which is made, on that machine.
Result<launch::JobOptions> job_in(const Session& session, const std::filesystem::path& folder, Machine machine);

/// For a run that does not own the terminal: its output goes to a file beside its traces, which `output` keeps open.
Status write_to_file(launch::JobOptions& job, UniqueFd& output);

/// The last lines of such a file, on stderr.
void show_output_in(const std::filesystem::path& folder, const std::string& run);

/// A run with that order of addresses. The first owns the terminal.
Result<PlannedRun> plan(const Session& session, const CardFile& card, std::size_t order, bool first, UniqueFd& output);

/// `outcomes` has one entry per order of addresses.
verdict::Verdict judge_card(const Session& session, const CardFile& card, std::span<const RunOutcome> outcomes);

}  // namespace dryfit::cli
