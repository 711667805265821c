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
/// A small job spends most of its time importing PyTorch and the library of the model. So a worker does that once, and
/// forks itself for each job: `job.py serve` (serving.py explains why the job doesn't notice).
///
/// - A worker is a launch::Job, under a keeper of its own, and runs one job at a time. Ending a job early means ending
///   its worker and all of its descendants; the next job gets another worker.
/// - A worker imports what every job of its source imports and nothing more, so each worker serves one source.
/// - Its own machine has no card: if an import touches the device, the jobs fail and are run afresh.

class HarvestWorker;

/// The workers of a harvest. Must outlive the processes that it has started.
class HarvestWorkers {
 public:
  explicit HarvestWorkers(const ProcessConditions& conditions);
  ~HarvestWorkers();

  /// Runs the job in a fork of an idle worker, or of a new one.
  Result<std::unique_ptr<HarvestProcess>> start(const RunRequest& request);

  /// Keeps the worker for another job.
  void take_back(std::unique_ptr<HarvestWorker> worker);

 private:
  Result<std::unique_ptr<HarvestWorker>> idle_or_new(const RunRequest& request);

  const ProcessConditions& conditions_;
  std::list<std::unique_ptr<HarvestWorker>> idle_;
};

}  // namespace dryfit::cli
