// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/record_json.h"

#include <nlohmann/json.hpp>

#include "history/json_fields.h"

namespace dryfit::history {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson text_or_null(const std::string& text) { return text.empty() ? OrderedJson() : OrderedJson(text); }
OrderedJson number_or_null(const std::optional<double>& number) {
  return number ? OrderedJson(*number) : OrderedJson();
}

OrderedJson prediction_json(const std::optional<PastPrediction>& predicted) {
  if (!predicted) return nullptr;
  return {{"median_bytes", predicted->median.count},
          {"upper_bytes", predicted->upper.count},
          {"coverage", predicted->coverage},
          {"kind", to_text(predicted->kind)},
          {"model", text_or_null(predicted->model)}};
}

}  // namespace

std::string to_line(const Record& record) {
  const OrderedJson json{{"job_id", record.job_id},
                         {"host", record.host},
                         {"source", record.source},
                         {"when", record.when},
                         {"name", text_or_null(record.name)},
                         {"job", record.job.empty() ? OrderedJson() : OrderedJson::parse(record.job, nullptr, false)},
                         {"card", text_or_null(record.card)},
                         {"kind", to_text(record.kind)},
                         {"peak_bytes", record.peak.count},
                         {"outcome", to_text(record.outcome)},
                         {"step_seconds", number_or_null(record.step_seconds)},
                         {"tflops", number_or_null(record.tflops)},
                         {"predicted", prediction_json(record.predicted)},
                         {"software", record.software}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<PastPrediction> prediction_of(const nlohmann::json& json) {
  PastPrediction result;
  JsonFields fields(json);
  result.median = Bytes{fields.unsigned_number("median_bytes")};
  result.upper = Bytes{fields.unsigned_number("upper_bytes")};
  result.coverage = fields.number("coverage").value_or(0);
  result.model = fields.text("model");
  const auto kind = fields.text("kind");
  if (fields.error()) return *fields.error();
  if (kind.empty()) return result;
  const auto parsed = parse_kind(kind);
  if (!parsed) return parsed.error();
  result.kind = *parsed;
  return result;
}

Result<Record> record_of(const nlohmann::json& json) {
  if (!json.is_object()) return Error{"a record is a JSON object", "Give a file of `dryfit history export`."};
  JsonFields fields(json);
  Record record{.job_id = fields.text("job_id"),
                .host = fields.text("host"),
                .source = fields.text("source"),
                .when = fields.signed_number("when"),
                .name = fields.text("name"),
                .job = {},
                .card = fields.text("card"),
                .peak = Bytes{fields.unsigned_number("peak_bytes")},
                .step_seconds = fields.number("step_seconds"),
                .tflops = fields.number("tflops"),
                .software = fields.texts("software")};
  if (fields.error()) return *fields.error();
  if (const auto job = json.find("job"); job != json.end() && !job->is_null()) record.job = job->dump();
  const auto kind = parse_kind(fields.text("kind"));
  if (!kind) return kind.error();
  record.kind = *kind;
  const auto outcome = parse_outcome(fields.text("outcome"));
  if (!outcome) return outcome.error();
  record.outcome = *outcome;
  if (const auto told = json.find("predicted"); told != json.end() && !told->is_null()) {
    auto predicted = prediction_of(*told);
    if (!predicted) return predicted.error();
    record.predicted = std::move(predicted).value();
  }
  if (auto status = check(record); !status) return status.error();
  return record;
}

}  // namespace dryfit::history
