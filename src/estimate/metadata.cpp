// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/metadata.h"

#include <nlohmann/json.hpp>

namespace dryfit::estimate {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::optional<bool> choice_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

std::optional<std::uint64_t> count_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0) return std::nullopt;
  return found->get<std::uint64_t>();
}

/// An empty list if there is none.
const Json& list_of(const Json& object, const char* key) {
  static const Json none = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : none;
}

std::vector<ModelTensor> tensors_of(const Json& object, const char* key) {
  std::vector<ModelTensor> tensors;
  for (const auto& each : list_of(object, key)) {
    ModelTensor tensor;
    if (each.is_object()) {
      tensor = {.name = text_of(each, "name"),
                .dtype = text_of(each, "dtype"),
                .bytes = Bytes{each.contains("tied") ? 0 : count_of(each, "bytes").value_or(0)},
                .requires_grad = flag_of(each, "requires_grad")};
      for (const auto& size : list_of(each, "shape")) {
        if (size.is_number_integer()) tensor.shape.push_back(size.get<std::int64_t>());
      }
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

OptimizerFacts optimizer_of(const Json& object, std::size_t parameters) {
  OptimizerFacts facts{.class_name = text_of(object, "class"),
                       .foreach = choice_of(object, "foreach"),
                       .fused = choice_of(object, "fused")};
  const auto defaults = object.find("defaults");
  if (defaults != object.end() && defaults->is_object()) {
    for (const auto& [key, value] : defaults->items())
      facts.defaults[key] = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  for (const auto& index : list_of(object, "parameters")) {
    if (index.is_number_unsigned() && index.get<std::uint64_t>() < parameters) {
      facts.parameters.push_back(index.get<std::size_t>());
    }
  }
  return facts;
}

}  // namespace

bool OptimizerFacts::is_set(const std::string& name) const {
  const auto found = defaults.find(name);
  if (found == defaults.end()) return false;
  const auto& text = found->second;
  return text != "null" && text != "false" && text != "0" && text != "0.0" && text != "\"\"";
}

Result<Metadata> parse_metadata(std::string_view json) {
  const auto root = Json::parse(json, nullptr, false);
  if (!root.is_object())
    return Error{"the metadata from `dryfit profile` in the trace is damaged", "Profile the program again."};
  Metadata metadata{.present = true};
  const auto format = count_of(root, "format").value_or(1);
  if (format > Metadata::kFormat) {
    return Error{"the trace has format " + std::to_string(format) + ", but this Dryfit reads up to " +
                     std::to_string(Metadata::kFormat),
                 "Use the Dryfit that made it, or a newer one."};
  }
  metadata.torch = text_of(root, "torch");
  metadata.python = text_of(root, "python");
  for (const auto& word : list_of(root, "command")) {
    if (word.is_string()) metadata.command.push_back(word.get<std::string>());
  }
  metadata.parameters = tensors_of(root, "parameters");
  metadata.buffers = tensors_of(root, "buffers");
  for (const auto& each : list_of(root, "optimizers")) {
    if (each.is_object()) metadata.optimizers.push_back(optimizer_of(each, metadata.parameters.size()));
  }
  metadata.loaded_in_trace = flag_of(root, "loaded_in_trace");
  metadata.ran_foreach = flag_of(root, "ran_foreach");
  metadata.ran_native_dropout = flag_of(root, "ran_native_dropout");
  metadata.ran_cuda_attention = flag_of(root, "ran_cuda_attention");
  metadata.cudnn_benchmark = flag_of(root, "cudnn_benchmark");
  metadata.ended = text_of(root, "ended");
  if (const auto set = root.find("environment"); set != root.end() && set->is_object()) {
    for (const auto& [name, value] : set->items()) {
      if (value.is_string()) metadata.environment[name] = value.get<std::string>();
    }
  }
  if (const auto shrunk = root.find("shrunk"); shrunk != root.end() && shrunk->is_object()) {
    metadata.batch = count_of(*shrunk, "batch");
    metadata.full_batch = count_of(*shrunk, "from");
  }
  return metadata;
}

}  // namespace dryfit::estimate
