// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/memory_model.h"
#include "predictor/network_shape.h"
#include "training/recipe.h"

namespace dryfit::training {

/// The training data of a network; all lists have the same length.
struct Examples {
  std::vector<predictor::NetworkInput> inputs;
  std::vector<double> answers;      ///< the targets: log(measured / base) - offset
  std::vector<double> measured;     ///< the peak itself, in any unit
  std::vector<std::string> groups;  ///< the rows of a group are all used for training, or all for validation
};

struct Fitted {
  std::vector<float> weights;  ///< the running average, in the order of predictor::Network
  std::size_t epochs = 0;      ///< how many were run
  double loss = 0;             ///< of the last epoch's training; with patience, of validation at its best
};

/// Trains a network of that shape. The same arguments give the same weights, to the bit, on the same processor with the
/// same libtorch. It is single-threaded and must not run twice at once, because torch's generator is global. An Error
/// if there is nothing to learn from, nothing to validate with, or the loss diverges.
Result<Fitted> fit_network(const predictor::NetworkShape& shape, const Examples& examples, const Recipe& recipe,
                           std::uint64_t seed);

}  // namespace dryfit::training
