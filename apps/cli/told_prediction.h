// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "history/record.h"

namespace dryfit::cli {

/// What a file says had been predicted of a job.
struct ToldPrediction {
  history::PastPrediction predicted;
  std::string job;   ///< its description, a JSON object; empty: the file does not tell
  std::string card;  ///< the id of the card; the same
};

/// `text` is an answer of `dryfit predict --json`, or has median_bytes, upper_bytes and coverage somewhere in it. Of an
/// answer, that of the card with the id `card` is taken (empty: of its only card), and the bound of the model: a
/// correction is to be learned from what the model said, not from what was corrected already.
Result<ToldPrediction> read_prediction(const std::string& text, const std::string& card);

}  // namespace dryfit::cli
