// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/prometheus.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace dryfit::history {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetric = "DCGM_FI_DEV_FB_USED";
constexpr const char* kHint =
    "Save the response of /api/v1/query_range?query=DCGM_FI_DEV_FB_USED&start=…&end=…&step=15s.";
constexpr double kMiB = 1 << 20;

struct Series {
  double peak_mib = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool empty = true;
};

std::string label(const Json& metric, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = metric.find(name);
    if (found != metric.end() && found->is_string() && !found->get<std::string>().empty())
      return found->get<std::string>();
  }
  return "";
}

/// [1793612100.5, "11203"]: a sample is a time, and a number as text.
Status add_sample(Series& series, const Json& sample) {
  const Error error{"a sample is not a time and a quoted number", kHint};
  if (!sample.is_array() || sample.size() != 2 || !sample[0].is_number() || !sample[1].is_string()) return error;
  const auto text = sample[1].get<std::string>();
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return error;
  if (!std::isfinite(value)) return {};
  if (value < 0 || value > 0x1p40) return error;
  const auto time = static_cast<std::int64_t>(sample[0].get<double>());
  if (series.empty) series.first = time;
  series.empty = false;
  series.last = time;
  series.peak_mib = std::max(series.peak_mib, value);
  return {};
}

Result<Series> series_of(const Json& entry) {
  Series series;
  const auto values = entry.find("values");
  const auto value = entry.find("value");
  const Json samples = values != entry.end() ? *values : value != entry.end() ? Json::array({*value}) : Json();
  if (!samples.is_array()) return Error{"a series has no 'values'", kHint};
  for (const auto& sample : samples) {
    if (auto status = add_sample(series, sample); !status) return status.error();
  }
  return series;
}

/// "gpu-3" where instance is "gpu-3:9400".
std::string host_of(const Json& metric) {
  const auto host = label(metric, {"Hostname", "hostname"});
  if (!host.empty()) return host;
  const auto instance = label(metric, {"instance"});
  return instance.substr(0, instance.rfind(':'));
}

std::string card_of(const Json& metric) {
  const auto slice = label(metric, {"GPU_I_PROFILE"});
  const auto name = label(metric, {"modelName"});
  return slice.empty() ? name : name + " MIG " + slice;
}

std::string job_of(const Json& metric, const Series& series) {
  const auto job = label(metric, {"hpc_job"});
  if (!job.empty()) return job;
  const auto pod = label(metric, {"pod", "exported_pod"});
  if (!pod.empty()) return label(metric, {"namespace", "exported_namespace"}) + "/" + pod;
  return label(metric, {"UUID", "gpu"}) + "@" + std::to_string(series.first);
}

Record record_of_series(const Json& metric, const Series& series) {
  return Record{.job_id = job_of(metric, series),
                .host = host_of(metric),
                .source = "prometheus",
                .when = series.last,
                .name = label(metric, {"pod", "exported_pod"}),
                .card = card_of(metric),
                .kind = PeakKind::device,
                .peak = Bytes{static_cast<std::uint64_t>(series.peak_mib * kMiB)}};
}

Result<Json> answer_in(std::string_view text) {
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"not a JSON object", kHint};
  if (json.value("status", Json()) == "error") {
    const auto why = json.value("error", Json());
    return Error{"Prometheus returned an error: " + (why.is_string() ? why.get<std::string>() : "unknown"), kHint};
  }
  const auto data = json.value("data", Json::object());
  const auto result = data.is_object() ? data.value("result", Json()) : Json();
  if (!result.is_array()) return Error{"no data.result in the response", kHint};
  return result;
}

}  // namespace

Result<Imported> import_prometheus(std::string_view text) {
  const auto answer = answer_in(text);
  if (!answer) return answer.error();
  Imported result;
  std::map<std::pair<std::string, std::string>, Record> jobs;
  for (const auto& entry : *answer) {
    const auto metric = entry.is_object() ? entry.value("metric", Json::object()) : Json();
    if (!metric.is_object()) return Error{"a series has no 'metric'", kHint};
    const auto name = label(metric, {"__name__"});
    if (!name.empty() && name != kMetric) return Error{"the metric is '" + name + "', not " + kMetric, kHint};
    const auto series = series_of(entry);
    if (!series) return series.error();
    if (series->empty || series->peak_mib == 0) {
      ++result.left_out["the series has no samples above zero"];
      continue;
    }
    auto record = record_of_series(metric, *series);
    auto& job = jobs[{record.job_id, record.host}];
    if (job.peak < record.peak) job = std::move(record);
  }
  for (auto& [key, record] : jobs) result.records.push_back(std::move(record));
  return result;
}

}  // namespace dryfit::history
