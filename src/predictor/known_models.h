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
  bool own_size = false;  ///< this is the default size
};

/// A model at the requested size.
struct SizedModel {
  ModelDescription description;
  double known_size = 0;  ///< if it differs from the description's size, the model was scaled from there: less certain
  bool image = true;

  bool is_scaled() const { return known_size != description.size; }

  /// The factor for everything that is per sample.
  double growth() const {
    const double side = description.size / known_size;
    return image ? side * side : side;
  }
};

/// Note [Scaling]
/// A model at an unknown size is the one at the nearest known size with everything that is per sample scaled: by the
/// area of an image, or by the length of a sequence. Parameters, channels and counts stay. That is close for
/// convolutions and for attention that keeps no matrix of scores; what grows with the square of a length is
/// underestimated for longer sequences. So the upper bound of such a job is raised: scaling_widening() in reach.h. In
/// what a probe reserved, everything but parameters and buffers is scaled.
ModelDescription at_size(const KnownModel& model, double size);

/// The models that are known by name. Immutable; can't be copied, as its index points into itself.
class KnownModels {
 public:
  KnownModels(KnownModels&&) = default;
  KnownModels& operator=(KnownModels&&) = default;

  /// From JSON lines: a heading, then a model on each line. Errors call it `file`.
  static Result<KnownModels> parse(std::string_view text, const std::string& file);
  static Result<KnownModels> read(const std::filesystem::path& file);

  const std::vector<KnownModel>& models() const { return models_; }

  /// All names, such as "resnet50" and "torchvision/resnet50".
  std::set<std::string> names() const;

  /// Finds a model by a name as in names(). `size` 0: its default. An Error if there is none, or if several sources
  /// have one.
  Result<SizedModel> find(std::string_view name, double size) const;

 private:
  KnownModels() = default;

  std::vector<KnownModel> models_;
  std::map<std::string, std::vector<const KnownModel*>, std::less<>> by_name_;
};

/// The text that parse() reads.
std::string to_json_lines(const std::vector<KnownModel>& models);

/// A model described by a JSON object, with the members of a line of the catalogue; parameters and size are required.
/// Errors begin with `where`.
Result<ModelDescription> parse_model(std::string_view json, std::string_view where);

/// Chooses the rows of a harvest that describe each model and size. One is a reference (is_reference()), if possible
/// with its operations counted, and among these the one with the smallest batch, as it is closest to a single sample.
/// The others are probes (Note [Probes]): among the rows with plain SGD that fit without PyTorch releasing cached
/// memory, the smallest and the largest batch of each precision, with checkpointing and without.
class ModelCollector {
 public:
  /// If the job does not name the model's size, the row needs its layers. `compute_capability` is that of its card.
  void add(const HarvestedJob& job, double compute_capability);

  /// Sorted by source, name and size. A model without a reference is left out.
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
