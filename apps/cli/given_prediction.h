// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "history/record.h"

namespace dryfit::cli {

/// What had been predicted for a job, according to a file.
struct GivenPrediction {
  history::PastPrediction predicted;
  std::string job;   ///< its description, a JSON object; empty: not in the file
  std::string card;  ///< the id of the card; empty: not in the file
};

/// `text` is an answer of `dryfit predict --json`, or JSON with median_bytes, upper_bytes and coverage somewhere in it.
/// From an answer, the prediction for the card with the id `card` is taken (empty: for its only card), with the bound
/// of the model: a correction must be learned from what the model predicted, not from what was already corrected.
Result<GivenPrediction> read_prediction(const std::string& text, const std::string& card);

}  // namespace dryfit::cli
