// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/formats.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "history/dry_runs.h"
#include "history/nvidia_smi.h"
#include "history/prometheus.h"
#include "history/record_json.h"
#include "history/slurm.h"
#include "history/text_rows.h"
#include "history/torch_snapshot.h"
#include "history/torch_statistics.h"
#include "snapshot/reader.h"

namespace dryfit::history {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kNames{"torch-stats", "snapshot",   "nvidia-smi", "sacct",
                                                 "prometheus",  "dryfit-run", "harvest",    "history"};

std::string all_names() {
  std::string text;
  for (const auto name : kNames) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// The first JSON object: of the whole text, or of its first line.
Json first_object(std::string_view content) {
  auto json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) json = Json::parse(lines_of(content).front(), nullptr, false);
  return json;
}

Result<Format> recognise_json(std::string_view content) {
  const auto json = first_object(content);
  const auto has = [&](const char* key) { return json.is_object() && json.contains(key); };
  if (has("status") && (has("data") || has("error"))) return Format::prometheus;
  if (has("dryfit") && has("results")) return Format::report;
  if (has("job_id") && has("peak_bytes")) return Format::history;
  if (has("key") && has("job")) return Format::harvest;
  if (has("reserved_bytes.all.peak") || has("reserved_bytes") || has("allocated_bytes.all.peak")) {
    return Format::torch_statistics;
  }
  return Error{"unrecognized JSON format", "Known formats: " + all_names() + " (docs/observe.md)."};
}

Result<Imported> import_snapshot_content(std::string_view content) {
  const auto snapshot = snapshot::parse_snapshot(content);
  return snapshot ? import_torch_snapshot(*snapshot) : snapshot.error();
}

Result<Imported> import_history(std::string_view text) {
  Imported result;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    auto record = record_of(Json::parse(line, nullptr, false));
    if (!record) return Error{"line " + std::to_string(number) + ": " + record.error().what, record.error().hint};
    result.records.push_back(std::move(record).value());
  }
  return result;
}

Result<Imported> import_as(std::string_view content, Format format, PeakKind kind) {
  switch (format) {
    case Format::torch_statistics:
      return import_torch_statistics(content, kind);
    case Format::torch_snapshot:
      return import_snapshot_content(content);
    case Format::nvidia_smi:
      return import_nvidia_smi(content);
    case Format::sacct:
      return import_sacct(content);
    case Format::prometheus:
      return import_prometheus(content);
    case Format::report:
      return import_report(content);
    case Format::harvest:
      return import_harvest(content);
    case Format::history:
      return import_history(content);
  }
  return Error{"unrecognized file format", "Known formats: " + all_names() + "."};
}

}  // namespace

std::string_view to_text(Format format) { return kNames[static_cast<std::size_t>(format)]; }

Result<Format> parse_format(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found != kNames.end()) return static_cast<Format>(found - kNames.begin());
  return Error{"unknown format '" + std::string(text) + "'", "Give one of: " + all_names() + "."};
}

Result<Format> recognise(std::string_view content) {
  if (content.starts_with('\x80')) return Format::torch_snapshot;
  const auto text = trimmed(content);
  if (text.empty()) return Error{"the file is empty", "Give the output of a tool that measured the job."};
  if (text.starts_with('{')) return recognise_json(text);
  const auto header = text.substr(0, text.find('\n'));
  const auto names = [&](std::string_view word) { return header.find(word) != std::string_view::npos; };
  if (names("JobID") && names("|")) return Format::sacct;
  if (names("pid") && (names("used_gpu_memory") || names("max_memory_usage"))) return Format::nvidia_smi;
  return Error{"unrecognized file format", "Name it with --format: " + all_names() + " (docs/observe.md)."};
}

Result<Imported> import_content(std::string_view content, Format format, PeakKind kind) {
  auto found = import_as(content, format, kind);
  if (found && found->records.empty() && found->left_out.empty()) {
    return Error{"there is no job in it", "Give the output of a tool that measured a job."};
  }
  return found;
}

}  // namespace dryfit::history
