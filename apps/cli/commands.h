// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.h"
#include "base/result.h"

namespace dryfit::cli {

/// Exit codes. Those of a dry run come from verdict::exit_code.
constexpr int kSuccess = 0;
constexpr int kCouldNotTell = 1;
constexpr int kWrongUsage = 2;
constexpr int kDoesNotFit = 3;

/// For something that the user named and that can't be read.
inline int code_of(const Error& error) { return error.is_damage ? kCouldNotTell : kWrongUsage; }

/// Each adds one subcommand. When it is the requested one, it runs during parsing and leaves its exit code in
/// `exit_code`. `arguments` and `exit_code` must outlive `app`.
void add_run(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_limits(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_gpus(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_top(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_harvest(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_models(CLI::App& app, int& exit_code);
void add_observe(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_history(CLI::App& app, int& exit_code);
void add_learn(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_evaluate(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_profile(CLI::App& app, const Arguments& arguments, int& exit_code);
void add_estimate(CLI::App& app, int& exit_code);
void add_trace(CLI::App& app, int& exit_code);

}  // namespace dryfit::cli
