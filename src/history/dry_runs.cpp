// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/dry_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "history/json_fields.h"
#include "history/text_rows.h"

namespace dryfit::history {
namespace {

using Json = nlohmann::json;

constexpr const char* kNoVerdict = "the dry run has no verdict";
constexpr const char* kReport = "dryfit-run";
constexpr const char* kHarvest = "dryfit-harvest";

/// The memory that the failed request would have led to: all that was in use, and the request itself.
std::uint64_t wanted_bytes(const Json& oom, std::uint64_t capacity) {
  JsonFields fields(oom);
  const auto free = fields.unsigned_number("device_free_bytes");
  return free > capacity ? 0 : capacity - free + fields.unsigned_number("requested_bytes");
}

/// `peak` and `capacity` are bytes on the device. None: the run has no verdict.
std::optional<Record> judged(const Json& entry, std::uint64_t peak, std::uint64_t capacity) {
  const auto verdict = entry.value("verdict", Json());
  if (verdict != "fits" && verdict != "tight" && verdict != "does-not-fit") return std::nullopt;
  Record record{.host = kNoHost, .kind = PeakKind::device, .peak = Bytes{peak}};
  if (verdict == "does-not-fit") {
    record.outcome = Outcome::out_of_memory;
    const auto oom = entry.value("oom", Json());
    if (oom.is_object()) record.peak = std::max(record.peak, Bytes{wanted_bytes(oom, capacity)});
  }
  return record.peak.count > 0 ? std::optional(record) : std::nullopt;
}

Error named(const Error& error, const char* what) { return {std::string(what) + ": " + error.what, error.hint}; }

std::string command_text(const Json& command) {
  std::string text;
  for (const auto& word : command) {
    if (word.is_string()) text += (text.empty() ? "" : " ") + word.get<std::string>();
  }
  return text;
}

Status add_row(Imported& result, const Json& row) {
  if (!row.is_object()) return Error{"not a JSON object", "Give a file that `dryfit harvest` wrote."};
  const auto device = row.value("device", Json::object());
  JsonFields fields(row), on_device(device);
  const auto key = fields.text("key");
  const auto software = fields.texts("software");
  const auto peak = on_device.unsigned_number("peak_bytes");
  const auto capacity = on_device.unsigned_number("capacity_bytes");
  if (fields.error()) return named(*fields.error(), "a row of `dryfit harvest`");
  if (on_device.error()) return named(*on_device.error(), "a row of `dryfit harvest`");
  auto record = judged(row, peak, capacity);
  if (!record) {
    ++result.left_out[kNoVerdict];
    return {};
  }
  const auto job = row.value("job", Json::object());
  record->job_id = key;
  record->source = kHarvest;
  record->job = job.dump();
  record->card = JsonFields(job).text("card");
  record->software = software;
  result.records.push_back(std::move(*record));
  return {};
}

}  // namespace

bool is_dry(const Record& record) { return record.source == kReport || record.source == kHarvest; }

Result<Imported> import_report(std::string_view text) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("results") || !json["results"].is_array()) {
    return Error{"not a report of a dry run", "Write one with `dryfit run --json`."};
  }
  JsonFields report(json);
  const auto software = report.texts("software");
  if (report.error()) return named(*report.error(), "the report");
  Imported result;
  for (const auto& entry : json["results"]) {
    JsonFields fields(entry);
    const auto card = fields.text("card");
    const auto peak = fields.unsigned_number("device_peak_bytes");
    const auto capacity = fields.unsigned_number("capacity_bytes");
    if (fields.error()) return named(*fields.error(), "an entry in results");
    auto record = judged(entry, peak, capacity);
    if (!record) {
      ++result.left_out[kNoVerdict];
      continue;
    }
    record->name = command_text(json.value("command", Json::array()));
    record->job_id = record->name + " on " + card;
    record->source = kReport;
    record->card = card;
    record->software = software;
    result.records.push_back(std::move(*record));
  }
  return result;
}

Result<Imported> import_harvest(std::string_view text) {
  Imported result;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const auto status = add_row(result, Json::parse(line, nullptr, false));
    if (!status) return Error{"line " + std::to_string(number) + ": " + status.error().what, status.error().hint};
  }
  return result;
}

}  // namespace dryfit::history
