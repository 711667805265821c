// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/harvest_rows.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include "predictor/harvested_job.h"
#include "predictor/model_family.h"
#include "predictor/probes.h"

namespace dryfit::predictor {
namespace {

Ending ending_of(const HarvestedJob& job) {
  if (job.verdict == "does-not-fit") return Ending::does_not_fit;
  return job.alloc_retries > 0 ? Ending::squeezed : Ending::fits;
}

/// Whether the row is one of those that describe its model, on any card.
bool is_probe(const JobDescription& job) {
  return job.optimizer == Optimizer::sgd &&
         std::ranges::any_of(probes_of(job), [&](const Probe& probe) { return probe.batch == job.batch; });
}

class HarvestReader {
 public:
  HarvestReader(std::string name, const CardTable& cards, const KnownModels& models)
      : name_(std::move(name)), cards_(cards), models_(models) {}

  Status take(const std::string& line, bool is_cut_off) {
    ++line_;
    const auto row = parse_harvested_job(line);
    if (!row && is_cut_off) return leave_out("cut off");
    if (!row) return Error{place() + row.error().what, row.error().hint};
    if (!keys_.insert(row->key).second) return leave_out("twice");
    if (row->verdict == "cannot-tell") return leave_out("cannot tell");
    const auto card = cards_.find(row->card);
    if (card == cards_.end()) {
      return Error{place() + "unknown GPU '" + row->card + "'", "Give the folder of its GPU file with --gpu-file."};
    }
    const auto model = models_.find(row->source + "/" + row->model, row->size);
    if (!model || model->is_scaled()) return leave_out("not in the catalogue of models");
    return add(*row, {.model = model->description,
                      .batch = row->batch,
                      .optimizer = row->optimizer,
                      .precision = row->precision,
                      .checkpointing = row->checkpointing,
                      .multiprocessors = card->second.multiprocessors,
                      .compute_capability = card->second.compute_capability});
  }

  Harvest finish() {
    harvest_.models = seen_.size();
    return std::move(harvest_);
  }

 private:
  std::string place() const { return name_ + ":" + std::to_string(line_) + ": "; }

  Status leave_out(const std::string& reason) {
    ++harvest_.left_out[reason];
    return {};
  }

  Status add(const HarvestedJob& row, JobDescription job) {
    if (is_probe(job)) return leave_out("a probe");
    if (!job.model.probes.empty() && probes_of(job).empty()) return leave_out("not of a probed kind");
    const double bytes = row.peak_bytes - row.context_bytes;
    if (!(bytes > 0))
      return Error{place() + "the device's peak is not above its context", "Run `dryfit harvest` on the job again."};
    seen_.insert({job.model.source, job.model.name, job.model.size});
    harvest_.examples.push_back({.line = line_,
                                 .family = family_of(row.model),
                                 .job = std::move(job),
                                 .ending = ending_of(row),
                                 .bytes = bytes,
                                 .room_bytes = row.capacity_bytes - row.context_bytes});
    return {};
  }

  std::string name_;
  const CardTable& cards_;
  const KnownModels& models_;
  std::size_t line_ = 0;
  std::set<std::string> keys_;
  std::set<std::tuple<std::string, std::string, double>> seen_;  ///< source, name and size of models
  Harvest harvest_;
};

}  // namespace

Result<Harvest> read_harvest(std::istream& stream, const std::string& name, const CardTable& cards,
                             const KnownModels& models) {
  HarvestReader reader(name, cards, models);
  for (std::string line; std::getline(stream, line);) {
    if (auto status = reader.take(line, stream.eof()); !status) return status.error();
  }
  return reader.finish();
}

Result<Harvest> read_harvest(const std::filesystem::path& file, const CardTable& cards, const KnownModels& models) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be opened", "Give a file written by `dryfit harvest`."};
  return read_harvest(stream, file.string(), cards, models);
}

}  // namespace dryfit::predictor
