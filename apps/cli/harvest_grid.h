// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// The jobs that `dryfit harvest` runs: products of lists, as docs/harvest.md describes them.
namespace dryfit::cli {

/// One training job.
struct HarvestJob {
  std::string source;  ///< "torchvision", "transformers", "timm"
  std::string model;
  std::int64_t batch = 1;
  std::int64_t size = 0;  ///< side of an image, or length of a sequence; 0: the model's own
  std::string optimizer;
  std::string precision;
  bool checkpointing = false;
  std::string card;  ///< id of the catalogue

  auto operator<=>(const HarvestJob&) const = default;
};

/// What a Python environment has: the version of PyTorch, and names of models by source.
struct ModelCatalogue {
  std::string torch;
  std::map<std::string, std::vector<std::string>> sources;
};

/// Every combination of its lists is a job. Models may be patterns: "resnet*".
struct JobProduct {
  std::string source;
  std::vector<std::string> models;
  std::vector<std::int64_t> batches;
  std::vector<std::int64_t> sizes = {0};
  std::vector<std::string> optimizers = {"adamw"};
  std::vector<std::string> precisions = {"fp32"};
  std::vector<bool> checkpointing = {false};
  std::vector<std::string> cards;
  std::size_t sample = 0;  ///< only so many of them, chosen evenly and everywhere the same; 0: all
};

/// Reads a grid from TOML, or from JSON if `json`. `name` is what errors call it.
Result<std::vector<JobProduct>> parse_grid(std::string_view text, bool json, const std::string& name);

/// The same from a file; JSON where its name ends in ".json".
Result<std::vector<JobProduct>> read_grid(const std::filesystem::path& path);

/// What `dryfit harvest` was told by the program's Python environment (`job.py list`).
Result<ModelCatalogue> parse_catalogue(std::string_view text);

/// All jobs, each once, in an order that is the same everywhere and in which every beginning is a fair sample of the
/// whole. With `strict` a model that the environment does not have is an error, else it is left out.
Result<std::vector<HarvestJob>> expand(const std::vector<JobProduct>& products, const ModelCatalogue& catalogue,
                                       bool strict);

/// What tells a job from every other: "torchvision/resnet50 batch 8 adamw fp32 on rtx-3060-12gb, torch 2.6.0".
std::string key_of(const HarvestJob& job, const std::string& torch);

/// Whether `name` is what `pattern` describes: "*" stands for any letters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace dryfit::cli
