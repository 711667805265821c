// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/record.h"

#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace dryfit::history {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"allocated", "reserved", "beside-context", "device"};

/// SQLite's integers have a sign.
constexpr Bytes kMaxBytes{static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())};

Error wrong(const std::string& what, const std::string& hint) { return {what, hint}; }

bool is_size(Bytes size) { return size.count > 0 && size <= kMaxBytes; }

Status check_number(const std::optional<double>& number, const char* what) {
  if (!number || (std::isfinite(*number) && *number > 0)) return {};
  return wrong(std::string(what) + " is not a number above zero", "Leave it out if it is not known.");
}

Status check_prediction(const PastPrediction& predicted) {
  if (!is_size(predicted.median) || !is_size(predicted.upper)) {
    return wrong("a predicted size is zero or too large", "Give the median and the upper bound that were predicted.");
  }
  if (predicted.upper < predicted.median) {
    return wrong("the predicted upper bound is below the median", "Check that they are not swapped.");
  }
  if (!(predicted.coverage > 0 && predicted.coverage < 1)) {
    return wrong("the coverage of the prediction is not between 0 and 1", "Write 95 % as 0.95.");
  }
  return {};
}

bool is_object(const std::string& text) { return nlohmann::json::parse(text, nullptr, false).is_object(); }

}  // namespace

Status check(const Record& record) {
  if (record.job_id.empty()) return wrong("the record has no job id", "Give one with --job-id.");
  if (record.host.empty()) return wrong("the record has no host", "Give one with --host.");
  if (record.source.empty())
    return wrong("the record has no source", "Add the name of the tool that measured it as \"source\".");
  if (!is_size(record.peak)) return wrong("the peak is zero or too large", "Record only jobs that used GPU memory.");
  if (!record.job.empty() && !is_object(record.job)) {
    return wrong("the job's description is not a JSON object", R"(Write it like {"model": "resnet50", "batch": 64}.)");
  }
  if (auto status = check_number(record.step_seconds, "the time of a step"); !status) return status;
  if (auto status = check_number(record.tflops, "the TFLOPS"); !status) return status;
  return record.predicted ? check_prediction(*record.predicted) : Status();
}

std::string family_of(const std::string& job) {
  const auto description = nlohmann::json::parse(job, nullptr, false);
  if (!description.is_object() || !description.contains("model")) return "";
  auto model = description["model"];
  if (model.is_object()) model = model.value("name", nlohmann::json());
  return model.is_string() ? family_of_model(model.get<std::string>()) : "";
}

std::string family_of_model(std::string_view name) {
  std::string family;
  for (const unsigned char c : name) {
    if (!std::isalpha(c)) break;
    family += static_cast<char>(std::tolower(c));
  }
  return family;
}

std::string_view to_text(PeakKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string_view to_text(Outcome outcome) { return outcome == Outcome::ok ? "ok" : "out-of-memory"; }

Result<PeakKind> parse_kind(std::string_view text) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == text) return static_cast<PeakKind>(i);
  }
  return Error{"unknown kind of memory '" + std::string(text) + "'",
               "Give one of: allocated, reserved, beside-context, device."};
}

Result<Outcome> parse_outcome(std::string_view text) {
  if (text == "ok") return Outcome::ok;
  if (text == "out-of-memory" || text == "oom") return Outcome::out_of_memory;
  return Error{"unknown outcome '" + std::string(text) + "'", "Give ok or oom."};
}

}  // namespace dryfit::history
