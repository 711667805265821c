// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crc64.h"
#include "card/card_match.h"
#include "given_prediction.h"
#include "history/sizes.h"
#include "history/times.h"

namespace dryfit::cli {
namespace {

using history::Record;

constexpr std::size_t kMaxNamed = 5;

Error too_many(const std::vector<Record>& records, const std::string& why) {
  std::string ids;
  for (std::size_t i = 0; i < std::min(kMaxNamed, records.size()); ++i) ids += (i ? ", " : "") + records[i].job_id;
  if (records.size() > kMaxNamed) ids += ", …";
  return {fmt::format("the file holds {} jobs, {}", records.size(), why), "Choose one with --job-id: " + ids + "."};
}

/// A single record is renamed if the file does not have the ID: nvidia-smi knows processes, not jobs.
Status choose(std::vector<Record>& records, const std::string& job_id) {
  if (job_id.empty()) return {};
  const bool is_there = std::ranges::any_of(records, [&](const Record& r) { return r.job_id == job_id; });
  if (is_there) std::erase_if(records, [&](const Record& r) { return r.job_id != job_id; });
  if (!is_there && records.size() > 1) return too_many(records, "none with the ID '" + job_id + "'");
  if (!is_there && !records.empty()) records.front().job_id = job_id;
  return {};
}

Result<std::optional<GivenPrediction>> typed_prediction(const Remarks& remarks) {
  if (remarks.median.empty() && remarks.upper.empty()) return std::optional<GivenPrediction>();
  if (remarks.median.empty() || remarks.upper.empty()) {
    return Error{"a prediction needs a median and an upper bound", "Give both --median and --upper, or neither."};
  }
  const auto median = history::parse_size(remarks.median);
  if (!median) return median.error();
  const auto upper = history::parse_size(remarks.upper);
  if (!upper) return upper.error();
  const auto kind = history::parse_kind(remarks.predicted_kind);
  if (!kind) return kind.error();
  return std::optional(GivenPrediction{{*median, *upper, remarks.coverage, *kind, remarks.model_file}, "", ""});
}

Result<std::optional<GivenPrediction>> prediction_in(const Remarks& remarks, const std::string& card) {
  if (remarks.prediction.empty()) return typed_prediction(remarks);
  if (!remarks.median.empty() || !remarks.upper.empty()) {
    return Error{"there are two predictions", "Give either --predicted, or --median and --upper."};
  }
  auto read = read_prediction(remarks.prediction, card);
  if (!read) return read.error();
  return std::optional(std::move(read).value());
}

Result<std::map<std::string, std::string>> software_in(const std::vector<std::string>& words) {
  std::map<std::string, std::string> software;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{"'" + word + "' is not a version", "Write it like --software torch=2.6.0."};
    }
    software[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return software;
}

std::string first_of(const std::string& a, const std::string& b, const std::string& c = "") {
  return !a.empty() ? a : !b.empty() ? b : c;
}

/// The catalogue's id; empty: unknown GPU.
std::string id_of(const std::string& card, const Catalogue& catalogue) {
  if (card.empty()) return "";
  const auto known = match_card(catalogue, card);
  return known ? (*known)->card.id : "";
}

/// All remarks, parsed.
struct ParsedRemarks {
  std::optional<GivenPrediction> predicted;
  std::map<std::string, std::string> software;
  std::string card;
  std::optional<std::int64_t> when;
  std::optional<history::Outcome> outcome;
};

/// `found_card` is the id of the GPU that the imported record names; empty: none.
Result<ParsedRemarks> parse_remarks(const Remarks& remarks, const Catalogue& catalogue, const std::string& found_card) {
  ParsedRemarks result;
  auto software = software_in(remarks.software);
  if (!software) return software.error();
  result.software = std::move(software).value();
  if (!remarks.gpu.empty()) {
    const auto card = match_card(catalogue, remarks.gpu);
    if (!card) return card.error();
    result.card = (*card)->card.id;
  }
  auto predicted = prediction_in(remarks, first_of(result.card, found_card));
  if (!predicted) return predicted.error();
  result.predicted = std::move(predicted).value();
  if (!remarks.when.empty()) {
    result.when = history::parse_time(remarks.when);
    if (!result.when) return Error{"'" + remarks.when + "' is not a time", "Write it like 2026-11-02T09:35:00."};
  }
  if (!remarks.outcome.empty()) {
    const auto outcome = history::parse_outcome(remarks.outcome);
    if (!outcome) return outcome.error();
    result.outcome = *outcome;
  }
  return result;
}

void apply(Record& record, const Remarks& remarks, const ParsedRemarks& parsed, const Defaults& defaults,
           std::string_view content, const Catalogue& catalogue) {
  const auto digest = fmt::format("file-{:016x}", crc64(content));
  record.job_id = first_of(record.job_id, defaults.job_id, digest);
  record.host = first_of(remarks.host, record.host, defaults.host);
  record.name = first_of(remarks.name, record.name, defaults.name);
  record.job = first_of(remarks.job, record.job, parsed.predicted ? parsed.predicted->job : "");
  record.card = first_of(parsed.card, id_of(record.card, catalogue), record.card);
  if (record.card.empty() && parsed.predicted) record.card = parsed.predicted->card;
  record.when = parsed.when.value_or(record.when == 0 ? defaults.now : record.when);
  record.outcome = parsed.outcome.value_or(record.outcome);
  if (remarks.step_seconds) record.step_seconds = remarks.step_seconds;
  if (remarks.tflops) record.tflops = remarks.tflops;
  if (parsed.predicted) record.predicted = parsed.predicted->predicted;
  for (const auto& [name, version] : parsed.software) record.software[name] = version;
}

}  // namespace

Result<history::Imported> typed_observation(const std::string& peak, const Remarks& remarks,
                                            const Catalogue& catalogue) {
  Record record{.source = "typed"};
  if (peak.empty()) {
    const auto outcome = history::parse_outcome(remarks.outcome.empty() ? "ok" : remarks.outcome);
    if (!outcome) return outcome.error();
    if (*outcome == history::Outcome::ok || remarks.gpu.empty()) {
      return Error{"nothing to record",
                   "Give a file, or --peak and --kind; for a job that ran out of memory, --outcome oom and --gpu."};
    }
    const auto card = match_card(catalogue, remarks.gpu);
    if (!card) return card.error();
    record.kind = history::PeakKind::device;
    record.peak = (*card)->card.total_memory;
    return history::Imported{.records = {record}, .left_out = {}};
  }
  if (remarks.kind.empty())
    return Error{"--peak needs --kind", "Add --kind allocated, reserved, beside-context or device."};
  const auto kind = history::parse_kind(remarks.kind);
  if (!kind) return kind.error();
  const auto size = history::parse_size(peak);
  if (!size) return size.error();
  record.kind = *kind;
  record.peak = *size;
  return history::Imported{.records = {record}, .left_out = {}};
}

Status complete(std::vector<Record>& records, const Remarks& remarks, const Defaults& defaults,
                std::string_view content, const Catalogue& catalogue) {
  if (auto status = choose(records, remarks.job_id); !status) return status;
  const auto parsed = parse_remarks(remarks, catalogue, records.size() == 1 ? id_of(records[0].card, catalogue) : "");
  if (!parsed) return parsed.error();
  if (records.size() > 1 && (!remarks.job.empty() || parsed->predicted)) {
    return too_many(records, "but a description or a prediction applies to one");
  }
  for (auto& record : records) {
    apply(record, remarks, *parsed, defaults, content, catalogue);
    if (auto status = check(record); !status) return status;
  }
  return {};
}

}  // namespace dryfit::cli
