// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/description.h"
#include "predictor/known_models.h"

namespace dryfit::predictor {

/// The properties of a card that a job's kernels depend on.
struct CardNumbers {
  double multiprocessors = 0;
  double compute_capability = 0;  ///< 8.6 for "8.6"
};

/// By id: "rtx-4090-24gb".
using CardTable = std::map<std::string, CardNumbers, std::less<>>;

/// How a job ended in its dry run.
enum class Ending {
  fits,
  squeezed,     ///< fits, but only because PyTorch released cached memory: on a larger card the peak would be higher
  does_not_fit  ///< the peak is the point where it failed
};

/// A harvested dry run as a training example: Note [Examples].
struct HarvestExample {
  std::size_t line = 0;  ///< of the file, from 1
  std::string family;    ///< Note [Families]
  JobDescription job;
  Ending ending = Ending::fits;
  double bytes = 0;       ///< at the peak, without the context
  double room_bytes = 0;  ///< of the card, without the context
};

struct Harvest {
  std::vector<HarvestExample> examples;         ///< in the order of the file
  std::size_t models = 0;                       ///< in the examples, each size counted separately
  std::map<std::string, std::size_t> left_out;  ///< number of unused rows, by reason
};

/// Note [Examples]
/// A row has its model's layers with the bytes that each held in that very run, so a job described by its own row would
/// contain half of its answer. Therefore every job is described by the catalogue's entry for its model and size, which
/// comes from other runs, and a row that is one of these runs (plain SGD, and the batch of a probe of its kind, on any
/// card) is not an example. Users who described a model once and then predict its jobs have the same catalogue.
///
/// Such rows are left out and counted, as are rows with the verdict cannot-tell, duplicates (by key), rows with a model
/// and size that are not in the catalogue, and a last line that was cut off; and, if the catalogue has probes for the
/// model, rows not of a probed kind.
///
/// An Error names the file and line of something that is not a row of a harvest, and a card that is not in the table.
Result<Harvest> read_harvest(const std::filesystem::path& file, const CardTable& cards, const KnownModels& models);

/// The same from a stream; errors call it `name`.
Result<Harvest> read_harvest(std::istream& stream, const std::string& name, const CardTable& cards,
                             const KnownModels& models);

}  // namespace dryfit::predictor
