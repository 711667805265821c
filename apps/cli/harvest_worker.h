// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <string>

#include "base/result.h"
#include "harvest_process.h"

namespace dryfit::cli {

/// Note [Forked jobs]
///
/// Most of a small job's time is Python importing PyTorch and the library of the model. So a worker does that once, and
/// forks itself for each job: `job.py serve` (serving.py says why the job notices nothing).
///
/// - A worker is a launch::Job, under a keeper of its own, and runs one job at a time. To end a job early is to end its
///   worker, with all that descends from it; the next job gets another worker.
/// - A worker imports what every job of its source does and nothing more, so there is one for each source that is
///   running, or waiting for its next job.
/// - Its own machine has no card: should an import touch the device, the jobs fail, and are run afresh.

class HarvestWorker;

/// The workers of a harvest. Outlives the processes that it has started.
class HarvestWorkers {
 public:
  explicit HarvestWorkers(const ProcessConditions& conditions);
  ~HarvestWorkers();

  /// Runs the job in a fork of a worker that is idle, or of a new one.
  Result<std::unique_ptr<HarvestProcess>> start(const RunRequest& request);

  /// For another job.
  void take_back(std::unique_ptr<HarvestWorker> worker);

 private:
  Result<std::unique_ptr<HarvestWorker>> idle_or_new(const RunRequest& request);

  const ProcessConditions& conditions_;
  std::list<std::unique_ptr<HarvestWorker>> idle_;
};

}  // namespace dryfit::cli
