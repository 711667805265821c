// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/slurm.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "history/sizes.h"
#include "history/text_rows.h"
#include "history/times.h"

namespace dryfit::history {
namespace {

constexpr const char* kMemory = "gres/gpumem";

/// "cpu=8,gres/gpu:a100=1,mem=60G" as a map.
std::map<std::string, std::string> resources_in(std::string_view text) {
  std::map<std::string, std::string> result;
  while (!text.empty()) {
    const auto item = text.substr(0, text.find(','));
    const auto equals = item.find('=');
    if (equals != std::string_view::npos) {
      result[std::string(trimmed(item.substr(0, equals)))] = std::string(trimmed(item.substr(equals + 1)));
    }
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return result;
}

struct Job {
  TextRow row;  ///< of the job itself
  std::optional<Bytes> peak;
};

int gpus_of(const std::map<std::string, std::string>& resources) {
  const auto found = resources.find("gres/gpu");
  int count = 0;
  if (found != resources.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), count);
  }
  return count;
}

/// "a100" of "gres/gpu:a100=1".
std::string card_of(const std::map<std::string, std::string>& resources) {
  constexpr std::string_view kTyped = "gres/gpu:";
  for (const auto& [name, count] : resources) {
    if (name.starts_with(kTyped)) return name.substr(kTyped.size());
  }
  return "";
}

/// One node's name; for a list of nodes ("g[1-2]") or none, the cluster's.
std::string host_of(const TextRow& row) {
  const auto nodes = row["NodeList"];
  if (!nodes.empty() && nodes.find_first_of("[,") == std::string::npos && nodes != "None assigned") return nodes;
  const auto cluster = row["Cluster"];
  return cluster.empty() ? "slurm" : cluster;
}

/// Why a job cannot be used; empty: it can.
std::string objection(const Job& job, const std::map<std::string, std::string>& resources) {
  if (job.row["State"] != "COMPLETED") return "the job did not complete";
  if (!job.peak) return "Slurm did not measure its GPU memory";
  if (job.peak->count == 0) return "no GPU memory was used";
  if (gpus_of(resources) > 1) return "the job had several GPUs";
  return "";
}

Result<std::map<std::string, Job>> jobs_in(const std::vector<TextRow>& rows) {
  std::map<std::string, Job> jobs;
  for (const auto& row : rows) {
    const auto id = row["JobID"];
    auto& job = jobs[id.substr(0, id.find('.'))];
    if (id.find('.') == std::string::npos) job.row = row;
    const auto used = resources_in(row["TRESUsageInMax"]);
    const auto memory = used.find(kMemory);
    if (memory == used.end()) continue;
    const auto size = parse_size(memory->second);
    if (!size) return Error{"line " + std::to_string(row.line) + ": " + size.error().what, size.error().hint};
    job.peak = std::max(job.peak.value_or(Bytes{}), *size);
  }
  return jobs;
}

}  // namespace

Result<Imported> import_sacct(std::string_view text) {
  const auto rows = parse_rows(text, '|', "JobName");
  if (!rows) return rows.error();
  for (const char* column : {"JobID", "State", "AllocTRES", "TRESUsageInMax"}) {
    if (!rows->empty() && rows->front().fields.contains(column)) continue;
    return Error{"no job, or no column '" + std::string(column) + "'",
                 "Write it with `sacct --parsable2 -o JobID,JobName,State,End,NodeList,AllocTRES,TRESUsageInMax`."};
  }
  const auto jobs = jobs_in(*rows);
  if (!jobs) return jobs.error();
  Imported result;
  for (const auto& [id, job] : *jobs) {
    const auto resources = resources_in(job.row["AllocTRES"]);
    if (const auto why = objection(job, resources); !why.empty()) {
      ++result.left_out[why];
      continue;
    }
    result.records.push_back({.job_id = id,
                              .host = host_of(job.row),
                              .source = "slurm",
                              .when = parse_time(job.row["End"]).value_or(0),
                              .name = job.row["JobName"],
                              .card = card_of(resources),
                              .kind = PeakKind::device,
                              .peak = *job.peak});
  }
  return result;
}

}  // namespace dryfit::history
