// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dryfit::history {

/// Which memory a number speaks of, from the inside out.
enum class PeakKind {
  allocated,       ///< torch.cuda.max_memory_allocated
  reserved,        ///< torch.cuda.max_memory_reserved
  beside_context,  ///< that, and what libraries and loaded code take: what a model file predicts
  device,          ///< and the context: what nvidia-smi shows for the process
};

enum class Outcome {
  ok,
  out_of_memory,  ///< the job wanted more than the peak that it came to
};

/// What had been said of a job before it ran.
struct PastPrediction {
  Bytes median;
  Bytes upper;
  double coverage = 0;
  PeakKind kind = PeakKind::beside_context;
  std::string model;  ///< the file that said it; empty: not known

  friend bool operator==(const PastPrediction&, const PastPrediction&) = default;
};

/// What a job really used. No two records have the same job_id, host and source.
struct Record {
  std::string job_id;
  std::string host;
  std::string source;     ///< who measured it: "torch", "nvidia-smi", "slurm", "prometheus", ...
  std::int64_t when = 0;  ///< seconds since 1970
  std::string name;       ///< that the user gave the job; may be empty
  std::string job;        ///< its description, a JSON object as in docs/harvest.md; empty: not known
  std::string card;       ///< id of the catalogue, or as the source calls it; empty: not known
  PeakKind kind = PeakKind::reserved;
  Bytes peak;
  Outcome outcome = Outcome::ok;
  std::optional<double> step_seconds;
  std::optional<double> tflops;
  std::optional<PastPrediction> predicted;
  std::map<std::string, std::string> software;  ///< "torch" → "2.6.0"

  friend bool operator==(const Record&, const Record&) = default;
};

/// An Error that names what is missing or makes no sense.
Status check(const Record& record);

/// "resnet" of a description whose model is "resnet50", "vit" of "vit_b_16": the letters that its name begins with.
/// Empty where there is no name.
std::string family_of(const std::string& job);

/// The same of the name alone.
std::string family_of_model(std::string_view name);

/// "reserved", "beside-context"; "ok", "out-of-memory".
std::string_view to_text(PeakKind kind);
std::string_view to_text(Outcome outcome);

/// An Error that names those there are. "oom" is an outcome too.
Result<PeakKind> parse_kind(std::string_view text);
Result<Outcome> parse_outcome(std::string_view text);

}  // namespace dryfit::history
