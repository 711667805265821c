// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harvest_grid.h"
#include "slurm_script.h"

namespace dryfit::cli {

/// A harvest that runs as the tasks of a Slurm job array.
struct SlurmHarvest {
  std::filesystem::path out;
  std::vector<HarvestJob> jobs;      ///< all jobs that the file is to contain
  std::string torch;                 ///< its version, for the keys
  std::vector<std::string> command;  ///< what each task runs, without --grid and --out
  std::size_t tasks = 1;             ///< at most
  SlurmRequest request;
  bool wait = true;
};

/// Note [Arrays]
/// While a harvest is under way, there is a folder "<out>.slurm" beside the output:
///
///     array.json          the id of the Slurm job
///     harvest.sh          its script
///     share-<n>.json      a grid: the jobs of task n
///     part-<n>.jsonl      the rows of task n, which continues there when Slurm restarts it
///     task-<n>.log        what task n printed
///
/// The command copies rows from the parts that the output doesn't have yet. While the array is in the queue, it waits,
/// or says so if it is not to wait. When the array is gone and jobs are left, it submits them as a new array. So the
/// same command always continues where the last one stopped, and no row occurs twice. When nothing is left, the folder
/// is removed.
///
/// Returns the exit code: 0 when all jobs are in the file, or when they were submitted and we are not to wait.
int harvest_on_slurm(const SlurmHarvest& harvest);

}  // namespace dryfit::cli
