// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/harvested_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "predictor/block_sequence.h"
#include "predictor/json_members.h"

namespace dryfit::predictor {
namespace {

using Json = nlohmann::json;

constexpr const char* kHarvestAgain = "Run `dryfit harvest` on the job again.";

class Members : public JsonMembers {
 public:
  Members(const Json& object, std::string_view where) : JsonMembers(object, where, kHarvestAgain) {}
};

const Json& part(const Json& row, const char* name) {
  static const Json kNone = Json::object();
  const auto found = row.find(name);
  return found != row.end() && found->is_object() ? *found : kNone;
}

Result<Layer> read_layer(const Json& json) {
  if (!json.is_object()) return Error{"a layer of the row is not an object", kHarvestAgain};
  Members members(json, "a layer of the row");
  Layer layer{.name = members.text("name"),
              .kind = members.text("kind"),
              .inputs = members.shapes("inputs"),
              .outputs = members.shapes("outputs"),
              .parameters = members.number("parameters"),
              .kernel_size = members.sides("kernel_size"),
              .groups = std::max(members.number("groups"), 1.0),
              .between_bytes = members.number("between_bytes"),
              .held_bytes = members.number("held_bytes"),
              .flops = members.number("flops")};
  if (!members.status()) return members.status().error();
  return layer;
}

Status read_layers(const Json& row, std::vector<Layer>& layers) {
  const auto found = row.find("layers");
  if (found == row.end()) return {};
  if (!found->is_array()) return Error{"the row's 'layers' is not a list", kHarvestAgain};
  for (const auto& json : *found) {
    auto layer = read_layer(json);
    if (!layer) return layer.error();
    layers.push_back(std::move(*layer));
  }
  return {};
}

Status read_job(const Json& row, HarvestedJob& job) {
  Members members(part(row, "job"), "the row's job");
  job.source = members.text("source");
  job.model = members.text("model");
  job.card = members.text("card");
  job.batch = members.number("batch");
  job.size = members.number("size");
  job.checkpointing = members.flag("checkpointing");
  const auto optimizer = members.text("optimizer");
  const auto precision = members.text("precision");
  if (!members.status()) return members.status();
  if (!(job.batch > 0)) return Error{"the row's job has no batch", kHarvestAgain};
  const auto known_optimizer = parse_optimizer(optimizer);
  if (!known_optimizer) return known_optimizer.error();
  const auto known_precision = parse_precision(precision);
  if (!known_precision) return known_precision.error();
  job.optimizer = *known_optimizer;
  job.precision = *known_precision;
  return {};
}

Status read_measurements(const Json& row, HarvestedJob& job) {
  Members device(part(row, "device"), "the row's device");
  job.capacity_bytes = device.number("capacity_bytes");
  job.peak_bytes = device.number("peak_bytes");
  job.libraries_bytes = device.number("libraries_bytes");
  job.code_bytes = device.number("code_bytes");
  job.context_bytes = device.number("context_bytes");
  Members torch(part(row, "torch"), "the row's torch");
  job.reserved_bytes = torch.number("peak_reserved_bytes");
  job.alloc_retries = torch.number("alloc_retries");
  Members compute(part(row, "compute"), "the row's compute");
  job.flops = compute.number("flops");
  for (const auto* members : {&device, &torch, &compute}) {
    if (!members->status()) return members->status();
  }
  return {};
}

Status read_model(const Json& row, HarvestedJob& job) {
  Members members(part(row, "model"), "the row's model");
  job.parameters = members.number("parameters");
  job.parameter_bytes = members.number("parameter_bytes");
  job.buffer_bytes = members.number("buffer_bytes");
  job.forward_bytes = members.number("forward_bytes");
  return members.status();
}

Status read_labels(const Json& row, HarvestedJob& job) {
  Members members(row, "the row");
  job.key = members.text("key");
  job.verdict = members.text("verdict");
  if (members.find("failure") != nullptr) job.failure = members.text("failure");
  job.layers_complete = members.flag("layers_complete");
  if (part(row, "software").contains("torch")) {
    Members software(part(row, "software"), "the row's software");
    job.torch = software.text("torch");
  }
  return members.status();
}

/// Images are (batch, channels, height, width), sequences (batch, length) or (batch, length, channels).
double input_size(const std::vector<Layer>& layers) {
  if (layers.empty() || layers.front().inputs.empty()) return 0;
  const auto& shape = layers.front().inputs.front();
  if (shape.size() >= 4) return static_cast<double>(shape.back());
  return shape.size() >= 2 ? static_cast<double>(shape[1]) : 0;
}

/// What the whole pass keeps per sample, without growth in layers that is not their own: Note [Blocks].
double kept_forward(const HarvestedJob& job, const std::vector<Block>& blocks) {
  if (job.forward_bytes == 0) return 0;
  double grown = 0, kept = 0;
  for (const auto& layer : job.layers) grown += layer.between_bytes + layer.held_bytes;
  for (const auto& block : blocks) kept += block[BlockField::saved_bytes];
  return std::max(0.0, (job.forward_bytes - grown) / job.batch + kept);
}

}  // namespace

Result<HarvestedJob> parse_harvested_job(std::string_view line) {
  const auto row = Json::parse(line, nullptr, false);
  if (!row.is_object()) return Error{"not a row written by dryfit harvest", "Give a file written by `dryfit harvest`."};
  HarvestedJob job;
  for (const auto read : {read_labels, read_job, read_measurements, read_model}) {
    if (auto status = read(row, job); !status) return status.error();
  }
  if (auto status = read_layers(row, job.layers); !status) return status.error();
  return job;
}

bool is_reference(const HarvestedJob& job) {
  return job.layers_complete && !job.layers.empty() && job.precision == Precision::fp32 && !job.checkpointing;
}

double size_of(const HarvestedJob& job) { return job.size > 0 ? job.size : input_size(job.layers); }

ModelDescription describe(const HarvestedJob& reference) {
  auto blocks = blocks_of(reference.layers, reference.batch);
  const auto forward_bytes = kept_forward(reference, blocks);
  return {.source = reference.source,
          .name = reference.model,
          .size = size_of(reference),
          .parameters = reference.parameters,
          .parameter_bytes = reference.parameter_bytes,
          .buffer_bytes = reference.buffer_bytes,
          .flops = reference.flops / reference.batch,
          .forward_bytes = forward_bytes,
          .blocks = std::move(blocks),
          .probes = {}};
}

}  // namespace dryfit::predictor
