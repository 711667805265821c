// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/data_sets.h"

#include <algorithm>
#include <utility>

#include "predictor/llm_foundry.h"
#include "predictor/schedtune.h"
#include "predictor/table.h"
#include "predictor/timm_dry_runs.h"
#include "predictor/timm_memory.h"
#include "predictor/timm_throughput.h"

namespace dryfit::predictor {
namespace {

Result<DataSet> read_timm_memory_set(const DataPlaces& places, std::string_view protocol, std::string_view features) {
  const auto memory = read_timm_memory(places, protocol, estimates_of(features));
  if (!memory) return memory.error();
  return timm_memory_set(*memory, protocol, features == "plain" ? FeatureSet::plain : FeatureSet::layers);
}

Result<DataSet> read_schedtune(const DataPlaces& places, std::string_view protocol, std::string_view) {
  const auto stats = read_table(places.folder / "schedtune-model-stats.csv");
  if (!stats) return stats.error();
  const auto folds = read_table(places.folder / "splits/schedtune-model-stats.csv");
  if (!folds) return folds.error();
  return schedtune_set(*stats, *folds, protocol);
}

Result<DataSet> read_llm_foundry(const DataPlaces& places, std::string_view protocol, std::string_view features) {
  const auto runs = read_table(places.folder / "llm-foundry-mpt-training.csv");
  if (!runs) return runs.error();
  const auto folds = read_table(places.folder / "splits/llm-foundry-mpt-training.csv");
  if (!folds) return folds.error();
  return llm_foundry_set(*runs, *folds, protocol, features == "observed-fp8" ? Fp8::observed : Fp8::datasheet);
}

Result<DataSet> read_timm_throughput(const DataPlaces& places, std::string_view protocol, std::string_view features) {
  ThroughputTables tables;
  const std::pair<Table*, const char*> files[] = {{&tables.measured, "timm-train-throughput-rtx3090.csv"},
                                                  {&tables.features, "splits/timm-train-throughput-features.csv"},
                                                  {&tables.folds, "splits/timm-train-throughput-rtx3090.csv"},
                                                  {&tables.blocks, "splits/timm-blocks16.csv"}};
  for (const auto& [table, file] : files) {
    auto read = read_table(places.folder / file);
    if (!read) return read.error();
    *table = std::move(*read);
  }
  const bool plain = features == "plain";
  return timm_throughput_set(tables, protocol, plain ? ThroughputFeatures::plain : ThroughputFeatures::roofline);
}

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

bool DataSetEntry::is_held_out(std::string_view protocol) const {
  return std::ranges::find(open_folds, protocol) == open_folds.end();
}

std::span<const DataSetEntry> all_data_sets() {
  static const DataSetEntry entries[] = {
      {"timm-memory",
       {"layers", "plain", "dry-run"},
       {"module5_s0", "module5_s1", "model5_s0", "random5_s0"},
       read_timm_memory_set},
      {"schedtune", {"physics"}, {"model12", "family3", "gpu5", "random10_s0"}, read_schedtune},
      {"llm-foundry", {"physics", "observed-fp8"}, {"model9", "gpu3"}, read_llm_foundry},
      {"timm-throughput", {"roofline", "plain"}, {"module5_s0"}, read_timm_throughput},
  };
  return entries;
}

Result<const DataSetEntry*> find_data_set(std::string_view name) {
  const auto all = all_data_sets();
  const auto found = std::ranges::find(all, name, &DataSetEntry::name);
  if (found != all.end()) return &*found;
  std::vector<std::string_view> names;
  for (const auto& entry : all) names.push_back(entry.name);
  return Error{"unknown data set '" + std::string(name) + "'", "Use one of: " + joined(names) + "."};
}

Result<DataSet> read_data_set(const DataSetEntry& entry, const DataPlaces& places, std::string_view protocol,
                              std::string_view features) {
  if (std::ranges::find(entry.features, features) == entry.features.end()) {
    return Error{"the data set '" + std::string(entry.name) + "' has no features '" + std::string(features) + "'",
                 "Use one of: " + joined(entry.features) + "."};
  }
  return entry.read(places, protocol, features);
}

}  // namespace dryfit::predictor
