// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/known_models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "predictor/json_members.h"
#include "predictor/probes.h"

namespace dryfit::predictor {
namespace {

using Json = nlohmann::json;
using Field = BlockField;

constexpr const char* kFormat = "dryfit models";
constexpr int kVersion = 2;
constexpr double kUsualImage = 224;
constexpr double kUsualSequence = 512;

/// Fields that grow with the input, per sample.
constexpr std::array kGrowing{Field::saved_bytes,    Field::max_out_bytes,       Field::macs,
                              Field::max_conv_bytes, Field::max_groupconv_bytes, Field::max_depthwise_bytes,
                              Field::saved_func,     Field::saved_norm,          Field::saved_act};

Json block_json(const Block& block) { return Json(block.values); }

Json probe_json(const Probe& probe) {
  return Json::array({to_text(probe.precision), probe.checkpointing, probe.batch, probe.reserved_bytes,
                      probe.forward_bytes, probe.compute_capability});
}

Json probe_names() {
  return Json::array({"precision", "checkpointing", "batch", "reserved_bytes", "forward_bytes", "compute_capability"});
}

Json field_names() {
  Json names = Json::array();
  for (std::size_t i = 0; i < kBlockFields; ++i) names.push_back(to_text(static_cast<Field>(i)));
  return names;
}

nlohmann::ordered_json model_json(const KnownModel& model) {
  const auto& [source, name, size, parameters, parameter_bytes, buffer_bytes, flops, forward_bytes, blocks, probes] =
      model.description;
  Json list = Json::array();
  for (const auto& block : blocks) list.push_back(block_json(block));
  Json probed = Json::array();
  for (const auto& probe : probes) probed.push_back(probe_json(probe));
  return {{"source", source},
          {"name", name},
          {"size", size},
          {"image", model.image},
          {"own_size", model.own_size},
          {"parameters", parameters},
          {"parameter_bytes", parameter_bytes},
          {"buffer_bytes", buffer_bytes},
          {"flops", flops},
          {"forward_bytes", forward_bytes},
          {"blocks", std::move(list)},
          {"probes", std::move(probed)}};
}

Result<Block> read_block(const Json& json, const std::string& where) {
  const bool right = json.is_array() && json.size() == kBlockFields &&
                     std::ranges::all_of(json, [](const Json& each) { return each.is_number(); });
  return right ? Result<Block>(Block{json.get<std::array<double, kBlockFields>>()})
               : Error{where + ": a block is not a list of " + std::to_string(kBlockFields) + " numbers",
                       "See the catalogue's first line for their order."};
}

Result<std::vector<Block>> read_blocks(const Json* json, const std::string& where) {
  std::vector<Block> blocks;
  if (json == nullptr) return blocks;
  if (!json->is_array()) return Error{where + ": 'blocks' is not a list", ""};
  for (const auto& each : *json) {
    auto block = read_block(each, where);
    if (!block) return block.error();
    blocks.push_back(*block);
  }
  return blocks;
}

Result<Probe> read_probe(const Json& json, const std::string& where) {
  const bool right = json.is_array() && json.size() == probe_names().size() && json[0].is_string() &&
                     json[1].is_boolean() &&
                     std::all_of(json.begin() + 2, json.end(), [](const Json& each) { return each.is_number(); });
  if (!right) {
    return Error{where + ": a probe is not a list of precision, checkpointing and four numbers",
                 "See the catalogue's first line for their order."};
  }
  const auto precision = parse_precision(json[0].get<std::string>());
  if (!precision) return Error{where + ": " + precision.error().what, precision.error().hint};
  return Probe{.precision = *precision,
               .checkpointing = json[1].get<bool>(),
               .batch = json[2].get<double>(),
               .reserved_bytes = json[3].get<double>(),
               .forward_bytes = json[4].get<double>(),
               .compute_capability = json[5].get<double>()};
}

Result<std::vector<Probe>> read_probes(const Json* json, const std::string& where) {
  std::vector<Probe> probes;
  if (json == nullptr) return probes;
  if (!json->is_array()) return Error{where + ": 'probes' is not a list", ""};
  for (const auto& each : *json) {
    auto probe = read_probe(each, where);
    if (!probe) return probe.error();
    probes.push_back(*probe);
  }
  return probes;
}

/// Whether all its numbers are valid for any job.
Status check_model(const ModelDescription& model, const std::string& where) {
  const auto status = check({.model = model, .batch = 1, .multiprocessors = 1, .compute_capability = 1});
  if (status) return {};
  return Error{where + ": " + status.error().what, status.error().hint};
}

Result<ModelDescription> read_model(const Json& json, const std::string& where) {
  if (!json.is_object()) return Error{where + " is not a JSON object", ""};
  JsonMembers members(json, where, "");
  ModelDescription model;
  if (members.find("source") != nullptr) model.source = members.text("source");
  if (members.find("name") != nullptr) model.name = members.text("name");
  model.size = members.number("size");
  model.parameters = members.number("parameters");
  model.parameter_bytes = members.number("parameter_bytes", 4 * model.parameters);
  model.buffer_bytes = members.number("buffer_bytes");
  model.flops = members.number("flops");
  model.forward_bytes = members.number("forward_bytes");
  if (!members.status()) return members.status().error();
  auto blocks = read_blocks(members.find("blocks"), where);
  if (!blocks) return blocks.error();
  model.blocks = std::move(*blocks);
  auto probes = read_probes(members.find("probes"), where);
  if (!probes) return probes.error();
  model.probes = std::move(*probes);
  if (auto status = check_model(model, where); !status) return status.error();
  return model;
}

Status check_heading(const Json& heading, const std::string& file) {
  if (!heading.is_object() || heading.value("format", "") != kFormat || !heading.contains("version") ||
      !heading["version"].is_number_integer()) {
    return Error{"'" + file + "' is not a catalogue of models",
                 "Make one with `dryfit models --from jobs.jsonl --out FILE`."};
  }
  if (const auto version = heading["version"].get<int>(); version > kVersion) {
    return Error{"'" + file + "' is a catalogue of version " + std::to_string(version) + "; this Dryfit reads up to " +
                     std::to_string(kVersion),
                 "Use a newer Dryfit."};
  }
  if (heading.value("block", Json()) != field_names()) {
    return Error{"'" + file + "' describes blocks in a different layout from this Dryfit's",
                 "Make the catalogue again."};
  }
  return {};
}

Result<KnownModel> read_known(std::string_view line, const std::string& where) {
  const auto json = Json::parse(line, nullptr, false);
  auto description = read_model(json, where);
  if (!description) return description.error();
  JsonMembers members(json, where, "");
  KnownModel model{std::move(*description), members.flag("image", true), members.flag("own_size")};
  if (!members.status()) return members.status().error();
  if (model.description.name.empty()) return Error{where + ": the model has no 'name'", ""};
  return model;
}

std::string full_name(const ModelDescription& model) { return model.source + "/" + model.name; }

std::string sources_of(const std::vector<const KnownModel*>& models) {
  std::set<std::string> names;
  for (const auto* model : models) names.insert(full_name(model->description));
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

bool is_ambiguous(const std::vector<const KnownModel*>& models) {
  return std::ranges::any_of(
      models, [&](const KnownModel* model) { return model->description.source != models.front()->description.source; });
}

/// (batch, channels, height, width) goes into the first layer.
bool takes_images(const HarvestedJob& job) {
  const auto& inputs = job.layers.front().inputs;
  return !inputs.empty() && inputs.front().size() >= 4;
}

/// The smallest and the largest batch of each kind.
template <class ByKind>
std::vector<Probe> ends_of(const ByKind& by_kind) {
  std::vector<Probe> ends;
  for (const auto& [kind, by_batch] : by_kind) {
    ends.push_back(by_batch.begin()->second);
    if (by_batch.size() > 1) ends.push_back(by_batch.rbegin()->second);
  }
  return ends;
}

/// By their ratio: 448 is as far from 224 as 112 is.
const KnownModel& nearest_in_size(const std::vector<const KnownModel*>& models, double size) {
  const auto distance = [&](const KnownModel* model) { return std::abs(std::log(model->description.size / size)); };
  return **std::ranges::min_element(models, {}, distance);
}

const KnownModel& of_own_size(const std::vector<const KnownModel*>& models) {
  const auto own = std::ranges::find_if(models, [](const KnownModel* model) { return model->own_size; });
  if (own != models.end()) return **own;
  return nearest_in_size(models, models.front()->image ? kUsualImage : kUsualSequence);
}

}  // namespace

ModelDescription at_size(const KnownModel& model, double size) {
  auto result = model.description;
  const double side = size / result.size;
  if (side == 1) return result;
  const double growth = model.image ? side * side : side;
  result.size = size;
  result.flops *= growth;
  result.forward_bytes *= growth;
  for (auto& block : result.blocks) {
    for (const auto field : kGrowing) block[field] *= growth;
    block[Field::hw_group_dw] *= side;
  }
  for (auto& probe : result.probes) {
    const double stays = stays_bytes(result, probe.precision);
    probe.reserved_bytes += (growth - 1) * std::max(0.0, probe.reserved_bytes - stays);
    probe.forward_bytes *= growth;
  }
  return result;
}

Result<KnownModels> KnownModels::parse(std::string_view text, const std::string& file) {
  KnownModels result;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (number == 1) {
      if (auto status = check_heading(Json::parse(line, nullptr, false), file); !status) return status.error();
      continue;
    }
    auto model = read_known(line, file + ":" + std::to_string(number));
    if (!model) return model.error();
    result.models_.push_back(std::move(*model));
  }
  if (result.models_.empty()) {
    return Error{"'" + file + "' contains no models",
                 "Make a new one with `dryfit models --from jobs.jsonl --out FILE`."};
  }
  for (const auto& model : result.models_) {
    result.by_name_[model.description.name].push_back(&model);
    result.by_name_[full_name(model.description)].push_back(&model);
  }
  return result;
}

Result<KnownModels> KnownModels::read(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    return Error{"no catalogue of models at '" + file.string() + "'",
                 "Make one with `dryfit harvest --out jobs.jsonl` and `dryfit models --from jobs.jsonl --out FILE`."};
  }
  return parse(std::string(std::istreambuf_iterator<char>(input), {}), file.string());
}

std::set<std::string> KnownModels::names() const {
  std::set<std::string> names;
  for (const auto& [name, models] : by_name_) names.insert(name);
  return names;
}

Result<SizedModel> KnownModels::find(std::string_view name, double size) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    return Error{"unknown model '" + std::string(name) + "'", "Run `dryfit models` to list them."};
  }
  const auto& models = found->second;
  if (is_ambiguous(models)) {
    return Error{"several sources have a model '" + std::string(name) + "'", "Use " + sources_of(models) + "."};
  }
  const auto& known = size > 0 ? nearest_in_size(models, size) : of_own_size(models);
  return SizedModel{at_size(known, size > 0 ? size : known.description.size), known.description.size, known.image};
}

std::string to_json_lines(const std::vector<KnownModel>& models) {
  const nlohmann::ordered_json heading{
      {"format", kFormat}, {"version", kVersion}, {"block", field_names()}, {"probe", probe_names()}};
  std::string text = heading.dump() + "\n";
  for (const auto& model : models) text += model_json(model).dump() + "\n";
  return text;
}

Result<ModelDescription> parse_model(std::string_view json, std::string_view where) {
  return read_model(Json::parse(json, nullptr, false), std::string(where));
}

void ModelCollector::add(const HarvestedJob& job, double compute_capability) {
  if (job.size == 0 && job.layers.empty()) return;
  const Key key{job.source, job.model, size_of(job)};
  if (is_reference(job)) offer_reference(key, job);
  const bool fits = job.verdict == "fits" || job.verdict == "tight";
  if (fits && job.optimizer == Optimizer::sgd && job.alloc_retries == 0) offer_probe(key, job, compute_capability);
}

void ModelCollector::offer_reference(const Key& key, const HarvestedJob& job) {
  KnownModel model{describe(job), takes_images(job), job.size == 0};
  const Rank rank{model.description.flops == 0, job.batch};
  const auto known = best_.find(key);
  if (known == best_.end()) {
    best_.emplace(key, std::pair(rank, std::move(model)));
    return;
  }
  auto& [best_rank, best] = known->second;
  model.own_size = best.own_size = model.own_size || best.own_size;
  if (rank < best_rank) known->second = {rank, std::move(model)};
}

void ModelCollector::offer_probe(const Key& key, const HarvestedJob& job, double compute_capability) {
  probes_[key][{job.precision, job.checkpointing}][job.batch] = {.precision = job.precision,
                                                                 .checkpointing = job.checkpointing,
                                                                 .batch = job.batch,
                                                                 .reserved_bytes = job.reserved_bytes,
                                                                 .forward_bytes = job.forward_bytes,
                                                                 .compute_capability = compute_capability};
}

std::vector<KnownModel> ModelCollector::models() const {
  std::vector<KnownModel> models;
  for (const auto& [key, best] : best_) {
    auto model = best.second;
    const auto found = probes_.find(key);
    if (found != probes_.end()) model.description.probes = ends_of(found->second);
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace dryfit::predictor
