// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harvest_grid.h"
#include "slurm_script.h"

namespace dryfit::cli {

/// A harvest that the tasks of a Slurm array do.
struct SlurmHarvest {
  std::filesystem::path out;
  std::vector<HarvestJob> jobs;      ///< all that shall be in the file
  std::string torch;                 ///< its version, for the keys
  std::vector<std::string> command;  ///< that a task runs, up to its --grid and --out
  std::size_t tasks = 1;             ///< at most
  SlurmRequest request;
  bool wait = true;
};

/// Note [Arrays]
/// Beside the output lies a folder, "<out>.slurm", as long as something is under way:
///
///     array.json          the id of the job that was submitted
///     harvest.sh          its script
///     share-<n>.json      a grid: the jobs of task n
///     part-<n>.jsonl      what task n harvested; it goes on there when Slurm starts it again
///     task-<n>.log        what it printed
///
/// The command collects what the parts have and the output has not. While the array is in the queue it waits, or, if it
/// shall not, says so. When the array is gone and jobs are left, it deals these out again, to a new one. So the same
/// command goes on from wherever the last one stopped, and no row is there twice. When nothing is left, the folder
/// goes.
///
/// Gives the exit code: 0 when all jobs are in the file, or were submitted and shall not be waited for.
int harvest_on_slurm(const SlurmHarvest& harvest);

}  // namespace dryfit::cli
