// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"
#include "history/formats.h"
#include "history/record.h"

namespace dryfit::cli {

/// What the user adds to a measurement. Texts as typed; empty: not given.
struct Remarks {
  std::string job_id;
  std::string host;
  std::string name;
  std::string job;  ///< the description itself, JSON
  std::string gpu;
  std::string when;
  std::string outcome;
  std::string kind;
  std::optional<double> step_seconds;
  std::optional<double> tflops;
  std::string median;
  std::string upper;
  double coverage = 0.95;
  std::string predicted_kind = "beside-context";
  std::string model_file;
  std::string prediction;             ///< an answer of `dryfit predict --json`, or the like; instead of the five before
  std::vector<std::string> software;  ///< "torch=2.6.0"
};

/// Used for what neither the user nor a file specifies.
struct Defaults {
  std::string job_id;  ///< ID of the job that we run in; empty: none
  std::string name;
  std::string host;
  std::int64_t now = 0;
};

/// A record of a peak that the user typed. `peak` may be empty for a job that ran out of memory on a named GPU: it
/// needed at least the whole GPU.
Result<history::Imported> typed_observation(const std::string& peak, const Remarks& remarks,
                                            const Catalogue& catalogue);

/// Puts what the user gave, and the defaults, into records that were imported from `content`. With a job ID, only the
/// record with that ID is kept; if there is a single record without it, that one gets it. A description or a prediction
/// applies to one record only. GPUs get the catalogue's ids where it knows them.
Status complete(std::vector<history::Record>& records, const Remarks& remarks, const Defaults& defaults,
                std::string_view content, const Catalogue& catalogue);

}  // namespace dryfit::cli
