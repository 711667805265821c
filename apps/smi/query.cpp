// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "smi/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dryfit::smi {
namespace {

std::string title(const std::string& field, bool units) {
  const auto unit = units ? unit_of(field) : "";
  return unit.empty() ? field : fmt::format("{} [{}]", field, unit);
}

std::string value_of(const Gpu& gpu, const std::string& field, bool units) {
  const auto& value = gpu.find(field)->second;
  const auto unit = unit_of(field);
  return units && !unit.empty() && value != kUnknown ? fmt::format("{} {}", value, unit) : value;
}

/// nvidia-smi names the fields without a prefix by these titles.
std::string shown(const std::string& field) {
  if (field == "gpu_name") return "name";
  if (field == "gpu_uuid") return "uuid";
  if (field == "gpu_serial") return "serial";
  if (field == "gpu_bus_id") return "pci.bus_id";
  return field;
}

std::string header(const Arguments& arguments) {
  std::vector<std::string> titles;
  for (const auto& field : arguments.fields) titles.push_back(title(shown(field), arguments.units));
  return fmt::format("{}\n", fmt::join(titles, ", "));
}

}  // namespace

std::string query_gpus(std::span<const Gpu> gpus, const Arguments& arguments) {
  for (const auto& field : arguments.fields) {
    if (!gpus.empty() && !gpus.front().contains(field)) {
      return fmt::format("Field \"{}\" is not a valid field to query.\n\n", field);
    }
  }
  std::string text = arguments.header ? header(arguments) : "";
  for (const auto& gpu : gpus) {
    std::vector<std::string> values;
    for (const auto& field : arguments.fields) values.push_back(value_of(gpu, field, arguments.units));
    text += fmt::format("{}\n", fmt::join(values, ", "));
  }
  return text;
}

std::string query_processes(const Arguments& arguments) {
  if (!arguments.header) return "";
  std::vector<std::string> titles;
  for (const auto& field : arguments.fields) {
    const bool is_size = field == "used_memory" || field == "used_gpu_memory";
    titles.push_back(is_size && arguments.units ? field + " [MiB]" : field);
  }
  return fmt::format("{}\n", fmt::join(titles, ", "));
}

}  // namespace dryfit::smi
