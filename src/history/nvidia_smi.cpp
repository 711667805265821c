// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/nvidia_smi.h"

#include <optional>

#include "history/sizes.h"
#include "history/text_rows.h"

namespace dryfit::history {
namespace {

constexpr const char* kQuery =
    "Query pid and max_memory_usage (--query-accounted-apps), or pid and used_memory (--query-compute-apps).";

/// nvidia-smi's words for an unknown value: "[N/A]", "[Not Supported]", "[Insufficient Permissions]".
bool is_unknown(const std::string& value) { return value.empty() || value.starts_with('[') || value == "N/A"; }

struct Process {
  std::string id;
  Bytes peak;
  std::string card;
};

/// Process ids are reused; together with its run time, an id most likely means the same process.
std::string id_of(const TextRow& row) {
  const auto time = row["time"];
  return "pid-" + row["pid"] + (is_unknown(time) ? "" : "-" + time.substr(0, time.find(' ')) + "ms");
}

bool is_running(const TextRow& row) { return row.fields.contains("time") && row["time"].starts_with("0 "); }

}  // namespace

Result<Imported> import_nvidia_smi(std::string_view text) {
  const auto rows = parse_rows(text, ',', "process_name");
  if (!rows) return rows.error();
  if (rows->empty()) return Error{"nvidia-smi listed no process", kQuery};
  const bool accounted = rows->front().fields.contains("max_memory_usage");
  const char* memory = accounted ? "max_memory_usage" : "used_gpu_memory";
  if (!rows->front().fields.contains("pid") || !rows->front().fields.contains(memory)) {
    return Error{"the columns pid and max_memory_usage or used_gpu_memory are missing", kQuery};
  }
  Imported result;
  std::map<std::string, Process> processes;
  for (const auto& row : *rows) {
    if (is_unknown(row[memory])) {
      ++result.left_out["nvidia-smi did not report the memory"];
      continue;
    }
    if (accounted && is_running(row)) {
      ++result.left_out["the process was still running"];
      continue;
    }
    const auto size = parse_size(row[memory]);
    if (!size) return Error{"line " + std::to_string(row.line) + ": " + size.error().what, size.error().hint};
    auto& process = processes[id_of(row)];
    if (*size < process.peak) continue;
    process = {id_of(row), *size, row["gpu_name"]};
  }
  for (const auto& [id, process] : processes) {
    if (process.peak.count == 0) {
      ++result.left_out["no memory was used"];
      continue;
    }
    result.records.push_back({.job_id = id,
                              .source = accounted ? "nvidia-smi-accounting" : "nvidia-smi",
                              .card = process.card,
                              .kind = PeakKind::device,
                              .peak = process.peak});
  }
  return result;
}

}  // namespace dryfit::history
