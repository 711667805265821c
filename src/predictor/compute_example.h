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

/// A step that somebody measured.
struct ComputeExample {
  JobDescription job;
  std::string gpu;  ///< the card's id
  PeakRates rates;
  double optimizer_share = 1;
  double seconds = 0;
  std::string group;      ///< what is never learned from and asked about at once: a module, a size
  std::size_t fold = 0;   ///< of the group
  std::size_t row = 0;    ///< of its table
  bool described = true;  ///< false: the description is of another model than was measured; not to be learned from
};

/// Lets the example be of that card of the catalogue. An Error when there is none, or its rates are not known.
Status put_on_card(ComputeExample& example, const Catalogue& catalogue, const std::string& id);

/// Model TFLOPS that the measured step achieved: six operations for each multiply-add, and what attention adds.
double achieved_tflops(const ComputeExample& example, double seconds);

}  // namespace dryfit::predictor
