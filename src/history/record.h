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

/// What memory a number covers, from the inside out.
enum class PeakKind {
  allocated,       ///< torch.cuda.max_memory_allocated
  reserved,        ///< torch.cuda.max_memory_reserved
  beside_context,  ///< reserved plus libraries and loaded code: what a model file predicts
  device,          ///< all that plus the context: what nvidia-smi shows for the process
};

enum class Outcome {
  ok,
  out_of_memory,  ///< the job needed more than the peak that it reached
};

/// What was predicted for a job before it ran.
struct PastPrediction {
  Bytes median;
  Bytes upper;
  double coverage = 0;
  PeakKind kind = PeakKind::beside_context;
  std::string model;  ///< the model file that predicted it; empty: not known

  friend bool operator==(const PastPrediction&, const PastPrediction&) = default;
};

/// What a job really used. The job_id, host and source together are unique.
struct Record {
  std::string job_id;
  std::string host;
  std::string source;     ///< the tool that measured it: "torch", "nvidia-smi", "slurm", "prometheus", ...
  std::int64_t when = 0;  ///< seconds since 1970
  std::string name;       ///< the user's name for the job; may be empty
  std::string job;        ///< its description, a JSON object as in docs/harvest.md; empty: not known
  std::string card;       ///< id in the catalogue, or the source's name for it; empty: not known
  PeakKind kind = PeakKind::reserved;
  Bytes peak;
  Outcome outcome = Outcome::ok;
  std::optional<double> step_seconds;
  std::optional<double> tflops;
  std::optional<PastPrediction> predicted;
  std::map<std::string, std::string> software;  ///< "torch" → "2.6.0"

  friend bool operator==(const Record&, const Record&) = default;
};

/// An Error names what is missing or makes no sense.
Status check(const Record& record);

/// The letters that the model's name begins with: "resnet" for a description with the model "resnet50", "vit" for
/// "vit_b_16". Empty if there is no name.
std::string family_of(const std::string& job);

/// The same for the name alone.
std::string family_of_model(std::string_view name);

/// "reserved", "beside-context"; "ok", "out-of-memory".
std::string_view to_text(PeakKind kind);
std::string_view to_text(Outcome outcome);

/// An Error lists the valid words. "oom" is accepted as an outcome too.
Result<PeakKind> parse_kind(std::string_view text);
Result<Outcome> parse_outcome(std::string_view text);

}  // namespace dryfit::history
