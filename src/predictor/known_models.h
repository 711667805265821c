// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "predictor/description.h"
#include "predictor/harvested_job.h"

namespace dryfit::predictor {

struct KnownModel {
  ModelDescription description;
  bool image = true;      ///< its size is the side of an image, else the length of a sequence
  bool own_size = false;  ///< the size that is meant when none is named
};

/// A model at the size that was asked for.
struct SizedModel {
  ModelDescription description;
  double known_size = 0;  ///< another than the description's: scaled from there, and less certain
  bool image = true;

  bool is_scaled() const { return known_size != description.size; }

  /// The factor of what is per sample.
  double growth() const {
    const double side = description.size / known_size;
    return image ? side * side : side;
  }
};

/// Note [Scaling]
/// A model at a size that nobody looked at is the one at the nearest known size with everything that is per sample
/// scaled: by the area of an image, by the length of a sequence. Parameters, channels and counts stay. That is close
/// for convolutions and for attention that keeps no matrix of scores; what grows with the square of a length is
/// underestimated for longer sequences. So the upper bound of such a job is raised: scaling_widening() in reach.h. Of
/// what a probe reserved, all but parameters and buffers is scaled.
ModelDescription at_size(const KnownModel& model, double size);

/// The models that can be asked for by name. Immutable; not copied, as its index points into itself.
class KnownModels {
 public:
  KnownModels(KnownModels&&) = default;
  KnownModels& operator=(KnownModels&&) = default;

  /// From JSON lines: a heading, and a model on each line. `file` is what errors call it.
  static Result<KnownModels> parse(std::string_view text, const std::string& file);
  static Result<KnownModels> read(const std::filesystem::path& file);

  const std::vector<KnownModel>& models() const { return models_; }

  /// "resnet50" and "torchvision/resnet50", of every model.
  std::set<std::string> names() const;

  /// By a name as in names(). `size` 0: its own. An Error when there is none, or when several sources have one.
  Result<SizedModel> find(std::string_view name, double size) const;

 private:
  KnownModels() = default;

  std::vector<KnownModel> models_;
  std::map<std::string, std::vector<const KnownModel*>, std::less<>> by_name_;
};

/// What parse() reads.
std::string to_json_lines(const std::vector<KnownModel>& models);

/// A model that is told in one JSON object, with the members of a line of the catalogue; parameters and size must be
/// there. `where` begins the sentence of an error.
Result<ModelDescription> parse_model(std::string_view json, std::string_view where);

/// Chooses from the rows of a harvest those that describe each model and size. One is a reference (is_reference()) with
/// its operations counted if there is one, and of these the one with the smallest batch, as that is nearest to a single
/// sample. The others are probes (Note [Probes]): of the rows with plain SGD that fit without PyTorch giving memory
/// back, the smallest and the largest batch of each precision, with checkpointing and without.
class ModelCollector {
 public:
  /// The row's layers must be there for a model whose size the job does not name. `compute_capability` is its card's.
  void add(const HarvestedJob& job, double compute_capability);

  /// By source, name and size. A model without a reference is left out.
  std::vector<KnownModel> models() const;

 private:
  using Key = std::tuple<std::string, std::string, double>;
  using Rank = std::pair<bool, double>;  ///< not counted, batch: the smallest is best
  using Kind = std::pair<Precision, bool>;

  void offer_reference(const Key& key, const HarvestedJob& job);
  void offer_probe(const Key& key, const HarvestedJob& job, double compute_capability);

  std::map<Key, std::pair<Rank, KnownModel>> best_;
  std::map<Key, std::map<Kind, std::map<double, Probe>>> probes_;  ///< by batch
};

}  // namespace dryfit::predictor
