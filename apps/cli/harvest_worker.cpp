// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_worker.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/unique_fd.h"
#include "harvest_models.h"
#include "launch/run_directory.h"
#include "own_environment.h"
#include "work_folder.h"

namespace dryfit::cli {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace std::chrono_literals;

/// How a job ended, as the worker reports it.
struct WorkerReply {
  int status = 0;
  Bytes peak_rss;
};

/// One `job.py serve`, for jobs of one source that all count operations, or all don't.
class HarvestWorker {
 public:
  static Result<std::unique_ptr<HarvestWorker>> start(const RunRequest& first, const ProcessConditions& conditions);

  bool suits(const RunRequest& request) const {
    return source_ == request.source && count_flops_ == request.count_flops;
  }
  bool alive() { return server_ && !server_->poll(0ms); }
  void kill() { server_.reset(); }

  Status ask(const RunRequest& request);
  std::optional<WorkerReply> reply();
  int wait_fd() const { return channel_.get(); }

 private:
  HarvestWorker(const RunRequest& first, WorkFolder folder, UniqueFd channel, launch::Job server)
      : source_(first.source),
        count_flops_(first.count_flops),
        folder_(std::move(folder)),
        channel_(std::move(channel)),
        server_(std::move(server)) {}

  std::string source_;
  bool count_flops_;
  WorkFolder folder_;
  UniqueFd channel_;
  std::optional<launch::Job> server_;
  std::string received_;
};

Result<std::unique_ptr<HarvestWorker>> HarvestWorker::start(const RunRequest& first,
                                                            const ProcessConditions& conditions) {
  auto folder = WorkFolder::temporary();
  if (!folder) return folder.error();
  RunRequest own;
  own.folder = folder->path();
  if (const auto status = prepare_folder(own); !status) return status.error();
  const UniqueFd output(::open(own.output().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{std::string("cannot create a socket: ") + std::strerror(errno), ""};
  }
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const auto& resources = conditions.resources;
  auto server =
      launch::Job::start({.command = {conditions.python, job_script(resources.hooks).string(), "serve", first.source},
                          .environment = own_environment(),
                          .machine = {},
                          .run_directory = own.run_folder(),
                          .driver_directory = resources.driver,
                          .hooks_directory = resources.hooks,
                          .memory_history = false,
                          .count_flops = first.count_flops,
                          .stdin_fd = theirs.get(),
                          .stdout_fd = output.get(),
                          .stderr_fd = output.get()});
  if (!server) return server.error();
  return std::unique_ptr<HarvestWorker>(
      new HarvestWorker(first, std::move(folder).value(), std::move(ours), std::move(server).value()));
}

Status HarvestWorker::ask(const RunRequest& request) {
  const Json content{{"description", Json::parse(request.description)},
                     {"layers", request.layers().string()},
                     {"machine", launch::RunDirectory(request.run_folder()).machine_file().string()},
                     {"output", request.output().string()}};
  const auto line = content.dump() + "\n";
  if (::send(channel_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    return Error{std::string("cannot send a job to a worker: ") + std::strerror(errno), ""};
  }
  return {};
}

std::optional<WorkerReply> HarvestWorker::reply() {
  std::array<char, 256> piece;
  const auto size = ::recv(channel_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (size > 0) received_.append(piece.data(), static_cast<std::size_t>(size));
  const auto end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const auto content = Json::parse(received_.substr(0, end));
  received_.clear();
  return WorkerReply{content.at("status").get<int>(), {content.at("peak_rss_bytes").get<std::uint64_t>()}};
}

namespace {

/// A job in a fork of a worker, which is returned when the job has ended.
class ForkedProcess final : public HarvestProcess {
 public:
  ForkedProcess(HarvestWorkers& workers, std::unique_ptr<HarvestWorker> worker, const RunRequest& request,
                std::chrono::milliseconds timeout)
      : workers_(workers),
        worker_(std::move(worker)),
        directory_(request.run_folder()),
        deadline_(started_ + std::min<std::chrono::milliseconds>(timeout, kLongest)) {}

  ~ForkedProcess() override {
    if (reply_) workers_.take_back(std::move(worker_));
  }

  bool ended() override {
    if (ended_) return true;
    reply_ = worker_->reply();
    timed_out_ = !reply_ && Clock::now() >= deadline_;
    if (timed_out_) worker_->kill();
    if (reply_ || !worker_->alive()) ended_ = Clock::now();
    return ended_.has_value();
  }

  int wait_fd() const override { return worker_->wait_fd(); }

  void interrupt(int signal, launch::SignalOrigin) override {
    interrupted_by_ = signal;
    worker_->kill();
  }

  launch::JobResult finish() override {
    return {.ending = ending(),
            .wall = *ended_ - started_,
            .host_peak_rss = reply_ ? reply_->peak_rss : Bytes{},
            .traces = directory_.traces(),
            .histories = {}};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::hours kLongest{24 * 365};

  launch::Ending ending() const {
    using Kind = launch::Ending::Kind;
    if (interrupted_by_ != 0) return {Kind::interrupted, interrupted_by_};
    if (timed_out_) return {Kind::timed_out, 0};
    if (!reply_) return {Kind::exited, EXIT_FAILURE};
    if (WIFSIGNALED(reply_->status)) return {Kind::signalled, WTERMSIG(reply_->status)};
    const int code = WEXITSTATUS(reply_->status);
    if (code == 0 && directory_.steps_done()) return {Kind::steps_done, 0};
    return {Kind::exited, code};
  }

  HarvestWorkers& workers_;
  std::unique_ptr<HarvestWorker> worker_;
  launch::RunDirectory directory_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point deadline_;
  std::optional<Clock::time_point> ended_;
  std::optional<WorkerReply> reply_;
  bool timed_out_ = false;
  int interrupted_by_ = 0;
};

}  // namespace

HarvestWorkers::HarvestWorkers(const ProcessConditions& conditions) : conditions_(conditions) {}
HarvestWorkers::~HarvestWorkers() = default;

Result<std::unique_ptr<HarvestProcess>> HarvestWorkers::start(const RunRequest& request) {
  if (const auto status = prepare_folder(request); !status) return status.error();
  const launch::RunDirectory directory(request.run_folder());
  if (const auto status = directory.write({.cards = {request.card}}); !status) return status.error();
  auto worker = idle_or_new(request);
  if (!worker) return worker.error();
  if (const auto status = (*worker)->ask(request); !status) return status.error();
  return std::unique_ptr<HarvestProcess>(
      new ForkedProcess(*this, std::move(worker).value(), request, conditions_.timeout));
}

void HarvestWorkers::take_back(std::unique_ptr<HarvestWorker> worker) {
  if (worker->alive()) idle_.push_back(std::move(worker));
}

Result<std::unique_ptr<HarvestWorker>> HarvestWorkers::idle_or_new(const RunRequest& request) {
  std::erase_if(idle_, [](const auto& worker) { return !worker->alive(); });
  const auto found = std::ranges::find_if(idle_, [&](const auto& worker) { return worker->suits(request); });
  if (found == idle_.end()) return HarvestWorker::start(request, conditions_);
  auto worker = std::move(*found);
  idle_.erase(found);
  return worker;
}

}  // namespace dryfit::cli
