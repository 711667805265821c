// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "command_run.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "meter/gpu_meter.h"
#include "meter/measurement.h"
#include "meter/observed_process.h"
#include "meter/torch_notes.h"
#include "resources.h"
#include "signals.h"
#include "work_folder.h"

namespace dryfit::cli {
namespace {

/// Returns the command's status.
int wait_for_end(meter::ObservedProcess& process, SignalQueue& signals) {
  for (;;) {
    if (const auto status = process.reap()) return *status;
    struct pollfd watched{signals.wait_fd(), POLLIN, 0};
    ::poll(&watched, 1, -1);
    while (const auto caught = signals.next()) {
      if (caught->number != SIGCHLD && caught->origin == launch::SignalOrigin::process) process.signal(caught->number);
    }
  }
}

}  // namespace

Result<CommandRun> run_measured(const std::vector<std::string>& command, const launch::Environment& environment) {
  const auto resources = find_resources();
  if (!resources) return resources.error();
  const auto notes = WorkFolder::temporary();
  if (!notes) return notes.error();
  const auto given = launch::observed_environment(environment, resources->hooks, notes->path());

  std::optional<meter::SignalsHeld> held(std::in_place);
  auto process = meter::ObservedProcess::start(command, given, *held);
  if (!process) return process.error();
  SignalQueue signals({SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD});
  meter::GpuMeter gpu_meter(::getpid());
  held.reset();

  const int status = wait_for_end(*process, signals);
  const auto gpu = gpu_meter.finish();
  return CommandRun{meter::shell_code(status), meter::record_of(gpu, meter::read_torch_notes(notes->path()))};
}

bool reached_its_peak(const CommandRun& run) {
  return run.code == 0 || (run.record && run.record->outcome == history::Outcome::out_of_memory);
}

}  // namespace dryfit::cli
