// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/harvest_rows.h"

#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include "predictor/harvested_job.h"
#include "predictor/model_family.h"

namespace dryfit::predictor {
namespace {

/// Source, name, size.
using ModelKey = std::tuple<std::string, std::string, double>;

/// Batch, not plain SGD, line: the least is the best reference.
using Rank = std::tuple<double, bool, std::size_t>;

struct Reference {
  Rank rank;
  ModelDescription model;
};

/// An example whose model is not yet described.
struct Row {
  ModelKey model;
  HarvestExample example;
};

ModelKey key_of(const HarvestedJob& job) { return {job.source, job.model, job.size}; }

bool describes_fully(const HarvestedJob& job) { return is_reference(job) && job.flops > 0 && job.forward_bytes > 0; }

Ending ending_of(const HarvestedJob& job) {
  if (job.verdict == "does-not-fit") return Ending::does_not_fit;
  return job.alloc_retries > 0 ? Ending::squeezed : Ending::fits;
}

/// Reads line by line; examples find their models at the end.
class HarvestReader {
 public:
  HarvestReader(std::string name, const CardTable& cards) : name_(std::move(name)), cards_(cards) {}

  Status take(const std::string& line, bool is_cut_off) {
    ++line_;
    const auto job = parse_harvested_job(line);
    if (!job && is_cut_off) return leave_out("cut off");
    if (!job) return Error{place() + job.error().what, job.error().hint};
    if (!keys_.insert(job->key).second) return leave_out("twice");
    if (job->verdict == "cannot-tell") return leave_out("cannot tell");
    if (describes_fully(*job)) offer_reference(*job);
    return add_row(*job);
  }

  Harvest finish() {
    for (auto& row : rows_) {
      const auto found = references_.find(row.model);
      if (found == references_.end()) {
        ++harvest_.left_out["no reference row"];
      } else if (std::get<2>(found->second.rank) != row.example.line) {
        row.example.job.model = found->second.model;
        harvest_.examples.push_back(std::move(row.example));
      }
    }
    harvest_.references = references_.size();
    return std::move(harvest_);
  }

 private:
  std::string place() const { return name_ + ":" + std::to_string(line_) + ": "; }

  Status leave_out(const std::string& reason) {
    ++harvest_.left_out[reason];
    return {};
  }

  void offer_reference(const HarvestedJob& job) {
    const Rank rank{job.batch, job.optimizer != Optimizer::sgd, line_};
    const auto found = references_.find(key_of(job));
    if (found == references_.end() || rank < found->second.rank) references_[key_of(job)] = {rank, describe(job)};
  }

  Status add_row(const HarvestedJob& job) {
    const auto card = cards_.find(job.card);
    if (card == cards_.end()) {
      return Error{place() + "there is no card '" + job.card + "'", "give the folder of its card file"};
    }
    const double bytes = job.peak_bytes - job.context_bytes;
    if (!(bytes > 0)) return Error{place() + "the device's peak is not above its context", "harvest the job again"};
    rows_.push_back({key_of(job),
                     {.line = line_,
                      .family = family_of(job.model),
                      .job = {.batch = job.batch,
                              .optimizer = job.optimizer,
                              .precision = job.precision,
                              .checkpointing = job.checkpointing,
                              .multiprocessors = card->second.multiprocessors,
                              .compute_capability = card->second.compute_capability},
                      .ending = ending_of(job),
                      .bytes = bytes,
                      .room_bytes = job.capacity_bytes - job.context_bytes}});
    return {};
  }

  std::string name_;
  const CardTable& cards_;
  std::size_t line_ = 0;
  std::set<std::string> keys_;
  std::map<ModelKey, Reference> references_;
  std::vector<Row> rows_;
  Harvest harvest_;
};

}  // namespace

Result<Harvest> read_harvest(std::istream& stream, const std::string& name, const CardTable& cards) {
  HarvestReader reader(name, cards);
  for (std::string line; std::getline(stream, line);) {
    if (auto status = reader.take(line, stream.eof()); !status) return status.error();
  }
  return reader.finish();
}

Result<Harvest> read_harvest(const std::filesystem::path& file, const CardTable& cards) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be opened", "give a file that 'dryfit harvest' wrote"};
  return read_harvest(stream, file.string(), cards);
}

}  // namespace dryfit::predictor
