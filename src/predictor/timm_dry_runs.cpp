// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_dry_runs.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>

#include "base/bytes.h"
#include "predictor/harvested_job.h"

namespace dryfit::predictor {
namespace {

bool counts(const HarvestedJob& job) {
  return job.source == "timm" && job.optimizer == Optimizer::sgd && job.precision == Precision::fp32 &&
         !job.checkpointing && (job.verdict == "fits" || job.verdict == "tight");
}

}  // namespace

Result<DryRuns> DryRuns::read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return Error{file.string() + ": cannot be opened", "Give rows of timm's models from `dryfit harvest`."};
  return read(stream, file.string());
}

Result<DryRuns> DryRuns::read(std::istream& stream, const std::string& name) {
  DryRuns runs;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const auto job = parse_harvested_job(line);
    if (!job) return Error{name + ":" + std::to_string(number) + ": " + job.error().what, job.error().hint};
    if (!counts(*job)) continue;
    const double reserved = job->reserved_bytes / kMib;
    const auto [place, is_new] = runs.reserved_mib_[job->model].try_emplace(job->batch, reserved);
    if (!is_new) place->second = std::min(place->second, reserved);
  }
  return runs;
}

Result<double> DryRuns::reserved_mib(std::string_view model, double batch) const {
  const auto found = reserved_mib_.find(model);
  if (found == reserved_mib_.end()) {
    return Error{"no dry run of the model '" + std::string(model) + "'",
                 "Run `dryfit harvest` on it, or leave the row out."};
  }
  const auto& by_batch = found->second;
  const auto above = by_batch.lower_bound(batch);
  if (above != by_batch.end() && above->first == batch) return above->second;
  if (above == by_batch.begin() || above == by_batch.end()) {
    return Error{"the model '" + std::string(model) + "' was dry-run only with batches on one side of " +
                     std::to_string(static_cast<long>(batch)),
                 "Run `dryfit harvest` on it with another batch size."};
  }
  const auto below = std::prev(above);
  const double share = (batch - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

Status estimate_by(const DryRuns& dry_runs, TimmMemory& memory) {
  for (auto& measured : memory.jobs) {
    const auto estimate = dry_runs.reserved_mib(measured.model, measured.job.batch);
    if (!estimate) return estimate.error();
    measured.job.estimate_mib = *estimate;
  }
  return {};
}

Estimates estimates_of(std::string_view features) {
  return features == "dry-run" ? Estimates::dry_runs : Estimates::fake_tensor;
}

Result<TimmMemory> read_timm_memory(const DataPlaces& places, std::string_view protocol, Estimates estimates) {
  if (estimates == Estimates::dry_runs && places.dry_runs.empty()) {
    return Error{"the features 'dry-run' need dry runs, and none were given", "Give their rows with --dry-runs."};
  }
  const auto tables = read_timm_tables(places.folder);
  if (!tables) return tables.error();
  auto memory = join_timm_memory(*tables, protocol);
  if (!memory || estimates == Estimates::fake_tensor) return memory;
  const auto dry_runs = DryRuns::read(places.dry_runs);
  if (!dry_runs) return dry_runs.error();
  if (auto status = estimate_by(*dry_runs, *memory); !status) return status.error();
  return memory;
}

}  // namespace dryfit::predictor
