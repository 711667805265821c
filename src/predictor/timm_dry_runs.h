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
/// The public estimate of a job's peak is FakeTensor's: it counts tensors, and knows neither an allocator nor a
/// library. The same model trained on the stand-in driver asks for memory as it would on a card, and what PyTorch then
/// reserves can stand in the estimate's place. Everything else stays: features, terms of the physics base, learners.
///
/// The dry runs are plain: fp32, SGD, no checkpointing, the image size at which the model was measured, with the
/// smallest and the largest batch at which the model was measured. Between two batches the estimate goes along the
/// straight line (Note [Probes]). They ran on a card with room for all. Where one reserved nearly what the measured
/// card has (40 GB), it was run on that card too, with the next smaller batch: there PyTorch gives back what it keeps,
/// and of two runs the smaller counts. No measured peak is part of it: how the measured jobs were trained (their
/// optimizer, their driver, the tuning of their convolutions) is left to the physics base and the learners.
class DryRuns {
 public:
  /// From the rows of a harvest; those of other kinds, and those that did not fit, are passed over. An Error names the
  /// file and line of what is no row.
  static Result<DryRuns> read(const std::filesystem::path& file);

  /// The same from a stream; `name` stands in messages.
  static Result<DryRuns> read(std::istream& stream, const std::string& name);

  /// An Error when the model was not run dry, or only with other batches and none on both sides of this one.
  Result<double> reserved_mib(std::string_view model, double batch) const;

 private:
  std::map<std::string, std::map<double, double>, std::less<>> reserved_mib_;  ///< by model and batch
};

/// Puts what the dry runs say in the place of every job's estimate.
Status estimate_by(const DryRuns& dry_runs, TimmMemory& memory);

/// Whose estimates of the jobs' peaks are read.
enum class Estimates { fake_tensor, dry_runs };

/// Those that the features of that name are made of.
Estimates estimates_of(std::string_view features);

/// Reads the tables and joins them.
Result<TimmMemory> read_timm_memory(const DataPlaces& places, std::string_view protocol, Estimates estimates);

}  // namespace dryfit::predictor
