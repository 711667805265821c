// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predictor/data_places.h"
#include "predictor/timm_memory.h"

namespace dryfit::predictor {

/// Note [Dry-run base]
/// The public estimate of a job's peak is FakeTensor's: it counts tensors, without an allocator or any library. The
/// same model trained on the stand-in driver allocates memory as it would on a card, and what PyTorch then reserves can
/// replace the estimate. Everything else stays: features, terms of the physics base, learners.
///
/// The dry runs are plain: fp32, SGD, no checkpointing, the image size at which the model was measured, with the
/// smallest and the largest batch at which it was measured. Between two batches the estimate is interpolated linearly
/// (Note [Probes]). They ran on a card with room for all of them. If one reserved nearly the memory of the measured
/// card (40 GB), it was run on that card too, with the next smaller batch: there PyTorch releases cached memory, and
/// the smaller of the two runs counts. No measured peak is part of this: how the measured jobs were trained (their
/// optimizer, their driver, the tuning of their convolutions) is left to the physics base and the learners.
class DryRuns {
 public:
  /// From the rows of a harvest; rows of other kinds, and those that did not fit, are skipped. An Error names the file
  /// and line of something that is not a row.
  static Result<DryRuns> read(const std::filesystem::path& file);

  /// The same from a stream; errors call it `name`.
  static Result<DryRuns> read(std::istream& stream, const std::string& name);

  /// An Error if the model was not dry-run with this batch, nor with batches on both sides of it.
  Result<double> reserved_mib(std::string_view model, double batch) const;

 private:
  std::map<std::string, std::map<double, double>, std::less<>> reserved_mib_;  ///< by model and batch
};

/// Replaces every job's estimate by that of the dry runs.
Status estimate_by(const DryRuns& dry_runs, TimmMemory& memory);

/// The source of the estimates of the jobs' peaks.
enum class Estimates { fake_tensor, dry_runs };

/// The estimates that the features of that name are made from.
Estimates estimates_of(std::string_view features);

/// Reads the tables and joins them.
Result<TimmMemory> read_timm_memory(const DataPlaces& places, std::string_view protocol, Estimates estimates);

}  // namespace dryfit::predictor
