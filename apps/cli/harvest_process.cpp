// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_process.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"
#include "harvest_models.h"
#include "own_environment.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FreshProcess final : public HarvestProcess {
 public:
  explicit FreshProcess(launch::Job job) : job_(std::move(job)) {}

  bool ended() override { return job_.poll(0ms); }
  int wait_fd() const override { return job_.wait_fd(); }
  void interrupt(int signal, launch::SignalOrigin origin) override { job_.forward_signal(signal, origin); }
  launch::JobResult finish() override { return job_.finish(); }

 private:
  launch::Job job_;
};

}  // namespace

Status prepare_folder(const RunRequest& request) {
  const UniqueFd output(::open(request.output().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!output) return Error{"cannot write into '" + request.folder.string() + "': " + std::strerror(errno), ""};
  std::error_code error;
  fs::create_directory(request.run_folder(), error);
  if (error) return Error{"cannot create the folder '" + request.run_folder().string() + "': " + error.message(), ""};
  return {};
}

Result<std::unique_ptr<HarvestProcess>> start_afresh(const RunRequest& request, const ProcessConditions& conditions) {
  if (const auto status = prepare_folder(request); !status) return status.error();
  const UniqueFd output(::open(request.output().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const auto& resources = conditions.resources;
  auto job = launch::Job::start({.command = {conditions.python, job_script(resources.hooks).string(), "run",
                                             request.description, request.layers().string()},
                                 .environment = own_environment(),
                                 .machine = {.cards = {request.card}},
                                 .run_directory = request.run_folder(),
                                 .driver_directory = resources.driver,
                                 .hooks_directory = resources.hooks,
                                 .timeout = conditions.timeout,
                                 .memory_history = false,
                                 .count_flops = request.count_flops,
                                 .stdin_fd = -1,
                                 .stdout_fd = output.get(),
                                 .stderr_fd = output.get()});
  if (!job) return job.error();
  return std::unique_ptr<HarvestProcess>(new FreshProcess(std::move(job).value()));
}

}  // namespace dryfit::cli
