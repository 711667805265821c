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
  std::int64_t size = 0;  ///< side of an image, or length of a sequence; 0: the model's default
  std::string optimizer;
  std::string precision;
  bool checkpointing = false;
  std::string card;  ///< id of the catalogue

  auto operator<=>(const HarvestJob&) const = default;
};

/// What a Python environment offers: the version of PyTorch, and the names of models by source.
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
  std::size_t sample = 0;  ///< how many to take, chosen evenly and the same on every machine; 0: all
};

/// Reads a grid from TOML, or from JSON if `json`. Errors call it `name`.
Result<std::vector<JobProduct>> parse_grid(std::string_view text, bool json, const std::string& name);

/// The same from a file, which is JSON if its name ends in ".json".
Result<std::vector<JobProduct>> read_grid(const std::filesystem::path& path);

/// Reads the output of `job.py list`: what the program's Python environment offers.
Result<ModelCatalogue> parse_catalogue(std::string_view text);

/// All jobs, each once, in an order that is the same on every machine and in which the first n are a fair sample of
/// the whole for any n. With `strict`, a model that the environment doesn't have is an error; otherwise it is skipped.
Result<std::vector<HarvestJob>> expand(const std::vector<JobProduct>& products, const ModelCatalogue& catalogue,
                                       bool strict);

/// Identifies a job: "torchvision/resnet50 batch 8 adamw fp32 on rtx-3060-12gb, torch 2.6.0".
std::string key_of(const HarvestJob& job, const std::string& torch);

/// Whether `name` matches `pattern`, in which "*" matches any text.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace dryfit::cli
