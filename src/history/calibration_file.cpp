// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/calibration_file.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/crc64.h"

namespace dryfit::history {
namespace {

using OrderedJson = nlohmann::ordered_json;
using predictor::SiteEvidence;

constexpr const char* kFormat = "dryfit-site-calibration";
constexpr int kVersion = 1;
constexpr const char* kChecksum = "checksum";
constexpr const char* kWriteAgain = "Make a new one with `dryfit learn --from-history`.";

OrderedJson evidence_json(const std::vector<SiteEvidence>& evidence) {
  OrderedJson list = OrderedJson::array();
  for (const auto& each : evidence) list.push_back({each.ratio, each.scale, each.at_least});
  return list;
}

bool is_evidence(const OrderedJson& triple) {
  return triple.is_array() && triple.size() == 3 && triple[0].is_number() && triple[1].is_number() &&
         triple[2].is_boolean() && std::isfinite(triple[0].get<double>()) && triple[1].get<double>() >= 0;
}

bool is_group(const OrderedJson& group) {
  return group.is_object() && group.contains("card") && group["card"].is_string() && group.contains("family") &&
         group["family"].is_string() && group.contains("records") && group["records"].is_array();
}

std::string line_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string checksum_of(const OrderedJson& json) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(crc64(line_of(json))));
  return text;
}

/// One of an older version has no checksum.
bool is_as_written(OrderedJson json) {
  const auto checksum = json.value(kChecksum, OrderedJson());
  json.erase(kChecksum);
  return checksum.is_null() || checksum == checksum_of(json);
}

}  // namespace

std::filesystem::path calibration_beside(const std::filesystem::path& history) {
  auto path = history;
  return path.replace_extension(".calibration.json");
}

std::string calibration_text(const KeptCalibration& calibration) {
  OrderedJson groups = OrderedJson::array();
  for (const auto& [group, evidence] : calibration.site.groups) {
    groups.push_back({{"card", group.card}, {"family", group.family}, {"records", evidence_json(evidence)}});
  }
  OrderedJson json{
      {"format", kFormat}, {"version", kVersion}, {"latest", calibration.latest}, {"groups", std::move(groups)}};
  json[kChecksum] = checksum_of(json);
  return line_of(json);
}

Result<KeptCalibration> parse_calibration(std::string_view text, const std::string& name) {
  const auto json = OrderedJson::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", OrderedJson()) != kFormat) {
    return Error{name + ": not a site calibration", kWriteAgain};
  }
  const auto version = json.value("version", OrderedJson());
  if (version.is_number_integer() && version > kVersion) {
    return Error{name + ": the calibration has version " + version.dump() + ", but this Dryfit reads versions up to " +
                     std::to_string(kVersion),
                 kWriteAgain};
  }
  const Error damaged{name + ": the calibration is damaged", kWriteAgain};
  const auto groups = json.value("groups", OrderedJson());
  const auto latest = json.value("latest", OrderedJson(0));
  if (!is_as_written(json) || version != kVersion || !groups.is_array() || !latest.is_number_integer()) return damaged;
  KeptCalibration result{.site = {}, .latest = latest.get<std::int64_t>()};
  for (const auto& group : groups) {
    if (!is_group(group)) return damaged;
    auto& evidence = result.site.groups[{group["card"].get<std::string>(), group["family"].get<std::string>()}];
    for (const auto& triple : group["records"]) {
      if (!is_evidence(triple)) return damaged;
      evidence.push_back({triple[0].get<double>(), triple[1].get<double>(), triple[2].get<bool>()});
    }
  }
  return result;
}

Result<KeptCalibration> read_calibration(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return Error{file.string() + ": cannot be opened", kWriteAgain};
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  return parse_calibration(text, file.string());
}

}  // namespace dryfit::history
