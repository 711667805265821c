// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"
#include "card/peak_rates.h"
#include "predictor/description.h"

namespace dryfit::predictor {

/// A measured step.
struct ComputeExample {
  JobDescription job;
  std::string gpu;  ///< the card's id
  PeakRates rates;
  double optimizer_share = 1;
  double seconds = 0;
  std::string group;      ///< never split between training and test: a module, a size
  std::size_t fold = 0;   ///< of the group
  std::size_t row = 0;    ///< of its table
  bool described = true;  ///< false: the description is of another model than was measured; not for training
};

/// Makes it an example on the card `id` of the catalogue. An Error if the card or its rates are unknown.
Status put_on_card(ComputeExample& example, const Catalogue& catalogue, const std::string& id);

/// Model TFLOPS that a step achieves if it takes `seconds`: six operations per multiply-add, and those of attention.
double achieved_tflops(const ComputeExample& example, double seconds);

}  // namespace dryfit::predictor
