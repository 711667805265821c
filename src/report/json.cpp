// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/compute.h"
#include "report/explanation.h"
#include "report/limits_report.h"
#include "report/wording.h"
#include "report/writes.h"

namespace dryfit::report {
namespace {

constexpr std::size_t kOwners = 5;  ///< of each kind, in an explanation

using Json = nlohmann::ordered_json;
using verdict::Answer;
using verdict::Verdict;

Json bytes_or_null(const std::optional<Bytes>& size) { return size ? Json(size->count) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// From the first run that reported it: all runs are of the same command.
Json software_json(std::span<const Verdict> verdicts) {
  Json json = Json::object();
  for (const char* key : {"python", "torch", "cuda", "cudnn"}) {
    json[key] = nullptr;
    for (const auto& verdict : verdicts) {
      const auto found = verdict.software.find(key);
      if (found == verdict.software.end()) continue;
      json[key] = found->second;
      break;
    }
  }
  return json;
}

Json torch_json(const Verdict& verdict) {
  return {{"peak_reserved_bytes", bytes_or_null(verdict.torch_peak_reserved)},
          {"peak_allocated_bytes", bytes_or_null(verdict.torch_peak_allocated)},
          {"reserved_after_load_bytes", bytes_or_null(verdict.torch_reserved_after_load)},
          {"alloc_retries", verdict.alloc_retries},
          {"ooms", verdict.ooms}};
}

constexpr const char* kOrigins[] = {"measured", "vendor", "derived"};
const char* origin_word(Origin origin) { return kOrigins[static_cast<int>(origin)]; }

Json outside_torch_json(const Verdict& verdict) {
  const auto counted = [&](Bytes size) { return verdict.device_used ? Json(size.count) : Json(); };
  return {{"context_bytes", counted(verdict.context)},     {"libraries_bytes", counted(verdict.libraries)},
          {"code_bytes", counted(verdict.code)},           {"low_bytes", counted(verdict.outside_low)},
          {"high_bytes", counted(verdict.outside_high)},   {"origin", origin_word(verdict.outside_origin)},
          {"source", text_or_null(verdict.outside_source)}};
}

Json caveats_json(const std::vector<verdict::Caveat>& caveats) {
  Json list = Json::array();
  for (const auto& [name, text] : caveats) list.push_back({{"name", name}, {"text", text}});
  return list;
}

Json assumptions_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const auto& each : verdict.assumptions) {
    list.push_back({{"what", each.what},
                    {"where", text_or_null(each.where)},
                    {"times", each.times},
                    {"assumed", each.assumed},
                    {"of", each.of}});
  }
  return list;
}

Json orders_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const auto& result : verdict.orders) {
    list.push_back({{"order", to_text(result.order)},
                    {"verdict", answer_word(result.answer)},
                    {"device_peak_bytes", bytes_or_null(result.device_peak)},
                    {"torch_peak_reserved_bytes", bytes_or_null(result.torch_peak_reserved)}});
  }
  return list;
}

Json peak_at_json(const Verdict& verdict) {
  if (!verdict.device_used) return nullptr;
  return {{"step", verdict.peak_at.step}, {"phase", verdict.peak_at.phase}};
}

/// The parts of the peak, and how the part that was not counted was obtained.
Json breakdown_json(const Verdict& verdict) {
  if (!verdict.device_used) return nullptr;
  Json libraries = Json::object();
  for (const auto& [library, bytes] : verdict.library_parts) libraries[library] = bytes.count;
  return {{"torch_reserved_bytes", verdict.reserved_at_peak.count},
          {"libraries", std::move(libraries)},
          {"context_origin", origin_word(verdict.context_origin)},
          {"context_spread_bytes", verdict.card.context_spread.count}};
}

Json counting_json(const verdict::Counting& counting) {
  const auto& compute = counting.compute;
  Json operators = Json::object();
  for (const auto& [name, flops] : by_operator(compute)) operators[name] = flops;
  Json modules = Json::array();
  for (const auto& [name, flops] : by_module(compute)) modules.push_back({{"module", name}, {"flops", flops}});
  Json moved = Json::object();
  for (const auto& [name, bytes] : moved_by_operator(compute)) moved[name] = bytes;
  Json kernels = Json::object();
  for (const auto& [name, launches] : launched(counting)) kernels[name] = launches;
  const auto ratio = intensity(compute);
  Json uncounted = Json::object();
  for (const auto& [name, times] : compute.uncounted) uncounted[name] = times;
  return {{"flops", compute.steps.empty() ? Json() : Json(compute.steps.back())},
          {"steps", compute.steps},
          {"by_operator", std::move(operators)},
          {"by_module", std::move(modules)},
          {"uncounted", std::move(uncounted)},
          {"bytes_moved", compute.traffic.empty() ? Json() : Json(compute.traffic.back())},
          {"bytes_moved_by_operator", std::move(moved)},
          {"flops_per_byte", ratio ? Json(*ratio) : Json()},
          {"kernels", std::move(kernels)},
          {"card", counting.card},
          {"reason", text_or_null(counting.reason)}};
}

std::optional<Bytes> gpu_limit(const Verdict& verdict) {
  return verdict.card.held_by_others > Bytes{} ? std::optional(verdict.capacity) : std::nullopt;
}

/// With what requested it: "cuBLAS"; null: PyTorch.
Json failure_json(const Verdict& verdict) {
  auto result = oom_json(verdict);
  if (result.is_null()) return result;
  result["library"] = verdict.oom_library.empty() ? Json() : Json(library_text(verdict.oom_library));
  return result;
}

Json holder_json(const analysis::Holder& holder) {
  return {{"pid", holder.pid}, {"command", text_or_null(holder.command)}, {"held_bytes", holder.held.count}};
}

Json holders_json(const std::vector<analysis::Holder>& holders) {
  Json list = Json::array();
  for (const auto& each : holders) list.push_back(holder_json(each));
  return list;
}

Json sharing_json(const Verdict& verdict) {
  const auto& sharing = *verdict.sharing;
  return {{"processes", sharing.processes},
          {"at_peak", holders_json(sharing.at_peak)},
          {"coinciding_peak_bytes", sharing.coinciding_peak.count},
          {"failed", sharing.failed ? holder_json(*sharing.failed) : Json()},
          {"others", sharing.failed ? holders_json(verdict.oom->others) : Json()}};
}

Json result_json(const Verdict& verdict) {
  const bool used = verdict.device_used;
  return {{"card", verdict.card.id},
          {"verdict", answer_word(verdict.answer)},
          {"steps", verdict.steps},
          {"capacity_bytes", verdict.capacity.count},
          {"device_peak_bytes", used ? Json(verdict.device_peak.count) : Json()},
          {"headroom_bytes", used ? Json(verdict.headroom) : Json()},
          {"torch", torch_json(verdict)},
          {"outside_torch", outside_torch_json(verdict)},
          {"peak_at", peak_at_json(verdict)},
          {"oom", failure_json(verdict)},
          {"seconds", std::round(verdict.seconds * 1000) / 1000},
          {"host_peak_rss_bytes", verdict.host_peak_rss.count},
          {"diagnostics", diagnostics_json(verdict.diagnostics)},
          {"reason", text_or_null(verdict.reason)},
          {"hint", text_or_null(verdict.hint)},
          {"card_name", verdict.card.name},
          {"peak_breakdown", breakdown_json(verdict)},
          {"device_peak_low_bytes", used ? Json(verdict.device_peak_low.count) : Json()},
          {"device_peak_high_bytes", used ? Json(verdict.device_peak_high.count) : Json()},
          {"caveats", caveats_json(verdict.caveats)},
          {"assumptions", assumptions_json(verdict)},
          {"tuning", verdict.tuning},
          {"address_orders", orders_json(verdict)},
          {"obtained", verdict.estimated ? "estimated" : "counted"},
          {"gaps", caveats_json(verdict.gaps)},
          {"limits", limits_json(verdict)}};
}

}  // namespace

Json diagnostics_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const auto& [name, count] : diagnostics.counts()) list.push_back({{"name", name}, {"count", count}});
  return list;
}

nlohmann::ordered_json oom_json(const Verdict& verdict) {
  if (!verdict.oom) return nullptr;
  return {{"requested_bytes", verdict.oom->requested.count},
          {"device_free_bytes", verdict.oom->device_free.count},
          {"step", verdict.oom->at.step},
          {"phase", verdict.oom->at.phase}};
}

const char* answer_word(Answer answer) {
  switch (answer) {
    case Answer::fits:
      return "fits";
    case Answer::tight:
      return "tight";
    case Answer::does_not_fit:
      return "does-not-fit";
    case Answer::cannot_tell:
      return "cannot-tell";
  }
  return "cannot-tell";
}

std::string json_text(std::string_view version, const std::vector<std::string>& command,
                      std::span<const Verdict> verdicts, const std::optional<verdict::Counting>& counting,
                      std::span<const explain::Explanation* const> explanations) {
  Json results = Json::array();
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    auto result = result_json(verdicts[i]);
    const auto* explanation = i < explanations.size() ? explanations[i] : nullptr;
    if (verdicts[i].sharing) result["sharing"] = sharing_json(verdicts[i]);
    result["explanation"] = explanation ? explanation_json(*explanation, kOwners) : Json();
    result["cap_bytes"] = bytes_or_null(verdicts[i].cap);
    result["gpu_limit_bytes"] = bytes_or_null(gpu_limit(verdicts[i]));
    result["writes"] = writes_json(verdicts[i].writes);
    results.push_back(std::move(result));
  }
  Json json{{"dryfit", version},
            {"command", command},
            {"software", software_json(verdicts)},
            {"results", std::move(results)}};
  if (counting) json["compute"] = counting_json(*counting);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dryfit::report
