// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_row.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/compute.h"
#include "report/json.h"

namespace dryfit::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using analysis::Compute;
using verdict::Verdict;

OrderedJson job_json(const HarvestJob& job) {
  return {{"source", job.source},
          {"model", job.model},
          {"batch", job.batch},
          {"size", job.size},
          {"optimizer", job.optimizer},
          {"precision", job.precision},
          {"checkpointing", job.checkpointing},
          {"card", job.card}};
}

OrderedJson bytes_or_null(const std::optional<Bytes>& size) { return size ? OrderedJson(size->count) : OrderedJson(); }

OrderedJson torch_json(const Verdict& verdict) {
  return {{"peak_allocated_bytes", bytes_or_null(verdict.torch_peak_allocated)},
          {"peak_reserved_bytes", bytes_or_null(verdict.torch_peak_reserved)},
          {"reserved_after_load_bytes", bytes_or_null(verdict.torch_reserved_after_load)},
          {"alloc_retries", verdict.alloc_retries}};
}

OrderedJson device_json(const Verdict& verdict) {
  const auto counted = [&](Bytes size) { return verdict.device_used ? OrderedJson(size.count) : OrderedJson(); };
  return {{"capacity_bytes", verdict.capacity.count},
          {"peak_bytes", counted(verdict.device_peak)},
          {"context_bytes", counted(verdict.context)},
          {"libraries_bytes", counted(verdict.libraries)},
          {"code_bytes", counted(verdict.code)}};
}

OrderedJson compute_json(const Compute& compute) {
  if (compute.steps.empty()) return nullptr;
  OrderedJson operators = OrderedJson::object();
  for (const auto& [name, flops] : report::by_operator(compute)) operators[name] = flops;
  OrderedJson uncounted = OrderedJson::object();
  for (const auto& [name, times] : compute.uncounted) uncounted[name] = times;
  return {{"flops", compute.steps.back()}, {"by_operator", std::move(operators)}, {"uncounted", std::move(uncounted)}};
}

/// Operations by the name of the module within the model, without the model's class.
std::map<std::string, std::uint64_t> flops_by_name(const Compute& compute) {
  std::map<std::string, std::uint64_t> result;
  for (const auto& [module, flops] : report::by_module(compute)) {
    const auto dot = module.find('.');
    result[dot == std::string::npos ? "" : module.substr(dot + 1)] += flops;
  }
  return result;
}

/// Each layer gets the work of its module at its first call. What is left belongs to modules that contain others, and
/// to layers that a failed run did not reach.
void add_flops(OrderedJson& layers, OrderedJson& others, const Compute& compute) {
  if (compute.steps.empty()) return;
  auto flops = flops_by_name(compute);
  for (auto& layer : layers) {
    const auto found = flops.find(layer.value("name", ""));
    layer["flops"] = found == flops.end() ? 0 : found->second;
    if (found != flops.end()) flops.erase(found);
  }
  for (const auto& [name, count] : flops) others.push_back({{"name", name}, {"flops", count}});
}

void add_layers(OrderedJson& row, const Compute& compute, std::string_view text) {
  const auto written = OrderedJson::parse(text, nullptr, false);
  const bool known = written.is_object() && written.contains("layers") && written["layers"].is_array();
  OrderedJson model = nullptr, layers = OrderedJson::array(), others = OrderedJson::array();
  if (known) {
    for (const char* key : {"parameters", "parameter_bytes", "buffer_bytes", "forward_bytes"}) {
      model[key] = written.value(key, OrderedJson());
    }
    layers = written["layers"];
    add_flops(layers, others, compute);
  }
  row["model"] = std::move(model);
  row["layers"] = std::move(layers);
  row["layers_complete"] = known && written.value("complete", false);
  row["other_modules"] = std::move(others);
}

}  // namespace

std::string description_of(const HarvestJob& job) { return job_json(job).dump(); }

std::string row_text(const HarvestJob& job, const std::string& key, std::string_view version, const Measured& measured,
                     const Compute& compute, RowLayers row_layers) {
  const auto& [verdict, layers, failure] = measured;
  OrderedJson row{{"key", key},
                  {"job", job_json(job)},
                  {"dryfit", version},
                  {"software", verdict.software},
                  {"verdict", report::answer_word(verdict.answer)},
                  {"reason", verdict.reason.empty() ? OrderedJson() : OrderedJson(verdict.reason)},
                  {"failure", failure.empty() ? OrderedJson() : OrderedJson(failure)},
                  {"steps", verdict.steps},
                  {"torch", torch_json(verdict)},
                  {"device", device_json(verdict)},
                  {"oom", report::oom_json(verdict)},
                  {"compute", compute_json(compute)}};
  add_layers(row, compute, layers);
  if (row_layers == RowLayers::omitted) {
    row.erase("layers");
    row.erase("other_modules");
  }
  row["seconds"] = std::round(verdict.seconds * 1000) / 1000;
  row["host_peak_rss_bytes"] = verdict.host_peak_rss.count;
  return row.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace dryfit::cli
