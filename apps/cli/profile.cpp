// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "command_options.h"
#include "commands.h"
#include "common_options.h"
#include "compressed_file.h"
#include "files.h"
#include "fleet.h"
#include "help.h"
#include "own_environment.h"
#include "profile_options.h"
#include "profile_report.h"
#include "report/writes.h"
#include "resources.h"
#include "screen.h"
#include "suggestions.h"
#include "work_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using Batch = std::optional<std::uint64_t>;

/// What one invocation of `dryfit profile` works with.
struct ProfileSession {
  ProfileOptions options;
  Resources resources;
  WorkFolder folder;
};

std::vector<Batch> batches_of(const ProfileOptions& options) {
  if (options.batches.empty()) return {std::nullopt};
  return {options.batches.begin(), options.batches.end()};
}

fs::path output_of(const ProfileOptions& options, Batch batch) {
  return batch ? output_for(options.output, *batch) : options.output;
}

Result<PlannedRun> plan(const ProfileSession& session, Batch batch) {
  const auto& options = session.options;
  const auto folder = session.folder.path() / (batch ? "batch-" + std::to_string(*batch) : "run");
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return Error{"cannot create the folder '" + folder.string() + "': " + error.message(), ""};
  launch::JobOptions job{.command = batch ? command_for(options.command, *batch) : options.command,
                         .environment = own_environment(),
                         .run_directory = folder,
                         .hooks_directory = session.resources.hooks,
                         .steps = options.steps,
                         .timeout = options.timeout,
                         .profile = launch::ProfileOptions{.batch = batch, .version = DRYFIT_VERSION},
                         .hold_writes_back = !options.keep_writes};
  if (options.json) job.stdout_fd = STDERR_FILENO;
  return PlannedRun{batch ? fmt::format("CPU, batch {}", *batch) : "CPU", std::move(job)};
}

/// A command without {batch} is shrunk through its DataLoader; a program without a DataLoader runs unchanged.
Status check_shrunk(const ProfileOptions& options, Batch batch, const HookLog& log) {
  const bool changed = command_for(options.command, *batch) != options.command;
  if (changed || log.full_batch) return {};
  return Error{"cannot change the program's batch: it creates no DataLoader with a batch_size",
               "Put {batch} into the command: `dryfit profile --shrink batch=4,8 -- python train.py --batch-size "
               "{batch}`."};
}

Result<WrittenTrace> profile_once(const ProfileSession& session, Batch batch) {
  auto planned = plan(session, batch);
  if (!planned) return planned.error();
  std::vector<PlannedRun> runs;
  runs.push_back(std::move(planned).value());
  const auto outcome = std::move(run_all(std::move(runs), 1).front());
  if (outcome.error) return *outcome.error;
  auto run = profiled(outcome.result);
  if (!run) return run.error();
  if (batch) {
    if (const auto status = check_shrunk(session.options, batch, run->log); !status) return status.error();
  }
  WrittenTrace written{output_of(session.options, batch), {}, {}, batch, std::move(run).value()};
  std::error_code ignored;
  written.json_size = Bytes{fs::file_size(written.run.trace, ignored)};
  const auto size = store_compressed(written.run.trace, written.path);
  if (!size) return size.error();
  written.size = *size;
  fs::remove(written.run.trace, ignored);
  return written;
}

int profile_session(const ProfileSession& session) {
  std::vector<WrittenTrace> traces;
  for (const auto batch : batches_of(session.options)) {
    auto written = profile_once(session, batch);
    if (!written) return fail(written.error(), kCouldNotTell);
    traces.push_back(std::move(written).value());
  }
  const auto& options = session.options;
  if (!print(options.json ? json_of(traces, options.command) : text_of(traces))) return kCouldNotTell;
  if (!options.json && !print(report::writes_note(traces.front().run.writes, style_for(STDOUT_FILENO)))) {
    return kCouldNotTell;
  }
  const bool failed = std::ranges::any_of(traces, [](const WrittenTrace& trace) { return trace.run.failed(); });
  return failed ? kCouldNotTell : kSuccess;
}

int profile(const ProfileOptions& options) {
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  if (const auto status = check_program(options.command, own_environment(), TypedLine::own()); !status) {
    return fail(status.error(), kWrongUsage);
  }
  for (const auto batch : batches_of(options)) {
    if (const auto status = check_writable(output_of(options, batch)); !status)
      return fail(status.error(), kWrongUsage);
  }
  auto folder = WorkFolder::temporary();
  if (!folder) return fail(folder.error(), kCouldNotTell);
  return profile_session({options, *resources, std::move(folder).value()});
}

}  // namespace

void add_profile(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command =
      app.add_subcommand("profile", "Run a training command on the CPU and record it, for `dryfit estimate`")
          ->group(kAsk);
  command->formatter(std::make_shared<Help>("dryfit profile [OPTIONS] -- COMMAND..."));
  command->footer(
      "Examples:\n  dryfit profile -o trace.json.gz -- python train.py\n"
      "  dryfit profile --shrink batch=4,8 -- python train.py --batch-size {batch}\n\n"
      "For machines without a CUDA build of PyTorch; with one, `dryfit run` is faster and exact. The CPU runs the "
      "program's CUDA calls. Steps run at CPU speed and use CPU memory.\n\n"
      "Exit code: 0 wrote the trace, 1 wrote no trace or the program failed, 2 wrong usage.");
  command->prefix_command();
  auto typed = std::make_shared<TypedProfileOptions>();
  typed->declare(*command);
  command->callback([command, typed, &arguments, &exit_code] {
    const auto plain = command->remaining();
    if (!plain.empty() && plain.front().starts_with("-")) {
      exit_code = fail(unknown_option(*command, plain.front(), TypedLine::own()), kWrongUsage);
      return;
    }
    const auto options = typed->parse(joined_command(plain, arguments));
    exit_code = options ? profile(*options) : fail(options.error(), kWrongUsage);
  });
}

}  // namespace dryfit::cli
