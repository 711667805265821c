// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "replay_report.h"

namespace dryfit::cli {
namespace {

using whatif::Fit;
using OrderedJson = nlohmann::ordered_json;

OrderedJson place_json(const ReplayReport& report, const whatif::Place& place) {
  const auto* frame = report.recording->snapshot->user_frame(place.stack);
  return OrderedJson{{"event", place.entry + 1},
                     {"file", frame ? OrderedJson(frame->filename) : OrderedJson()},
                     {"line", frame ? OrderedJson(frame->line) : OrderedJson()},
                     {"function", frame ? OrderedJson(frame->name) : OrderedJson()}};
}

std::string fit_name(Fit fit) {
  switch (fit) {
    case Fit::fits:
      return "fits";
    case Fit::tight:
      return "tight";
    case Fit::does_not_fit:
      return "does-not-fit";
    case Fit::cannot_tell:
      break;
  }
  return "cannot-tell";
}

OrderedJson row_json(const ReplayReport& report, const ReplayRow& row) {
  const auto& outcome = row.answer.outcome;
  const auto of_card = [&](auto value) { return row.card ? OrderedJson(value) : OrderedJson(); };
  OrderedJson oom;
  if (outcome.out_of_memory) {
    oom = OrderedJson{{"requested_bytes", outcome.out_of_memory->requested.count},
                      {"device_free_bytes", outcome.out_of_memory->device_free.count},
                      {"limit_bytes",
                       outcome.out_of_memory->limit ? OrderedJson(outcome.out_of_memory->limit->count) : OrderedJson()},
                      {"at", place_json(report, outcome.out_of_memory->at)}};
  }
  OrderedJson caveats = OrderedJson::array();
  for (const auto& caveat : row.answer.caveats)
    caveats.push_back(OrderedJson{{"name", caveat.name}, {"text", caveat.text}, {"decides", caveat.decides}});
  const auto capacity = row.card ? row.card->available().count : 0;
  const bool is_limited = row.card && row.card->held_by_others > Bytes{};
  return OrderedJson{{"card", row.card ? OrderedJson(row.card->id) : OrderedJson()},
                     {"alloc_conf", row.alloc_conf},
                     {"verdict", row.answer.fit ? OrderedJson(fit_name(*row.answer.fit)) : OrderedJson()},
                     {"capacity_bytes", of_card(capacity)},
                     {"device_peak_bytes", of_card(row.answer.device_peak.count)},
                     {"headroom_bytes", of_card(static_cast<std::int64_t>(capacity - row.answer.device_peak.count))},
                     {"peak_reserved_bytes", outcome.peak_reserved.count},
                     {"peak_allocated_bytes", outcome.peak_allocated.count},
                     {"fragmentation_bytes", outcome.fragmentation().count},
                     {"largest_free_block_bytes", outcome.largest_free_at_peak.count},
                     {"peak_at", place_json(report, outcome.peak_at)},
                     {"alloc_retries", outcome.alloc_retries},
                     {"oom", oom},
                     {"complete", outcome.complete},
                     {"outside_torch", OrderedJson{{"bytes", of_card(row.outside.estimate.count)},
                                                   {"high_bytes", of_card(row.outside.high.count)}}},
                     {"caveats", std::move(caveats)},
                     {"best", row.is_best},
                     {"cap_bytes", row.cap ? OrderedJson(row.cap->count) : OrderedJson()},
                     {"gpu_limit_bytes", is_limited ? OrderedJson(capacity) : OrderedJson()}};
}

}  // namespace

std::string replay_json(const ReplayReport& report) {
  const auto& recording = *report.recording;
  const auto* card = report.source->card(recording.device);
  OrderedJson results = OrderedJson::array();
  for (const auto& row : report.rows) results.push_back(row_json(report, row));
  OrderedJson diagnostics = OrderedJson::array();
  auto all = report.source->snapshot.diagnostics;
  all.merge(recording.diagnostics);
  for (const auto& [name, count] : all.counts()) diagnostics.push_back(OrderedJson{{"name", name}, {"count", count}});
  const OrderedJson json{{"dryfit", DRYFIT_VERSION},
                         {"recording", OrderedJson{{"file", report.source->file.string()},
                                                   {"device", recording.device},
                                                   {"events", recording.entries().size()},
                                                   {"from_beginning", recording.start.empty()},
                                                   {"start_reserved_bytes", recording.reserved_at_start().count},
                                                   {"torch", to_text(recording.torch)},
                                                   {"torch_known", report.torch_known},
                                                   {"alloc_conf", recording.alloc_conf},
                                                   {"card", card ? OrderedJson(card->id) : OrderedJson()}}},
                         {"torch", to_text(report.torch)},
                         {"fraction", report.fraction ? OrderedJson(*report.fraction) : OrderedJson()},
                         {"results", std::move(results)},
                         {"diagnostics", std::move(diagnostics)}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace dryfit::cli
