// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "card/card.h"
#include "launch/job.h"
#include "resources.h"

namespace dryfit::cli {

/// What all runs of a harvest share.
struct ProcessConditions {
  std::string python;
  Resources resources;
  std::chrono::milliseconds timeout{};
};

/// One run of a job.
struct RunRequest {
  std::string source;
  std::string description;  ///< description_of() the job
  Card card;
  bool count_flops = false;
  std::filesystem::path folder;  ///< for this run alone; holds what the job has written once it has ended

  std::filesystem::path run_folder() const { return folder / "run"; }
  std::filesystem::path layers() const { return folder / "layers.json"; }
  std::filesystem::path output() const { return folder / "output.txt"; }
};

/// A job that is running. Its processes do not outlive this object.
class HarvestProcess {
 public:
  virtual ~HarvestProcess() = default;

  /// Doesn't block. Enforces the timeout.
  virtual bool ended() = 0;

  /// Readable when ended() may have something to do.
  virtual int wait_fd() const = 0;

  /// Call it when we received a signal that ends the harvest.
  virtual void interrupt(int signal, launch::SignalOrigin origin) = 0;

  /// Call once, after ended() returned true.
  virtual launch::JobResult finish() = 0;
};

/// Creates `run/` and an empty `output.txt`.
Status prepare_folder(const RunRequest& request);

/// Runs the job in a Python process of its own.
Result<std::unique_ptr<HarvestProcess>> start_afresh(const RunRequest& request, const ProcessConditions& conditions);

}  // namespace dryfit::cli
