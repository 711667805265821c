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

/// What a job's kernels depend on, of its card.
struct CardNumbers {
  double multiprocessors = 0;
  double compute_capability = 0;  ///< "8.6" as 8.6
};

/// By id: "rtx-4090-24gb".
using CardTable = std::map<std::string, CardNumbers, std::less<>>;

/// What became of a job in its dry run.
enum class Ending {
  fits,
  squeezed,     ///< fits, but only since PyTorch gave back what it kept: a larger card would have shown more
  does_not_fit  ///< the peak is where it failed
};

/// A dry run that was harvested, as a question and its answer: Note [Examples].
struct HarvestExample {
  std::size_t line = 0;  ///< of the file, from 1
  std::string family;    ///< Note [Families]
  JobDescription job;
  Ending ending = Ending::fits;
  double bytes = 0;       ///< at the peak, beside the context
  double room_bytes = 0;  ///< what the card has beside the context
};

struct Harvest {
  std::vector<HarvestExample> examples;         ///< in the order of the file
  std::size_t models = 0;                       ///< that they are of, counting each size
  std::map<std::string, std::size_t> left_out;  ///< rows that tell nothing, by reason
};

/// Note [Examples]
/// A row knows its model's layers with the bytes that each held in that very run, so a job described by its own row
/// would be told half of its answer. Every job is therefore described by what a catalogue of models says of its model
/// at its size, made from other runs, and a row that is one of these (plain SGD, and the batch of a probe of its kind,
/// on whatever card) is no example. That is also what somebody knows who has described a model once, and asks for its
/// jobs.
///
/// Left out and counted are such rows, those that cannot tell, that are there twice (by their key), whose model is not
/// in the catalogue at their size, and a last line that was cut off. Where the catalogue has probes, so are rows of a
/// kind that was not probed.
///
/// An Error names the file and line of what is no row of a harvest, and a card that is not in the table.
Result<Harvest> read_harvest(const std::filesystem::path& file, const CardTable& cards, const KnownModels& models);

/// The same from a stream; `name` stands in messages.
Result<Harvest> read_harvest(std::istream& stream, const std::string& name, const CardTable& cards,
                             const KnownModels& models);

}  // namespace dryfit::predictor
