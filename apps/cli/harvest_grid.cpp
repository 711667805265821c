// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_grid.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kHint = "See docs/harvest.md for the format of a grid.";
constexpr std::int64_t kLargest = 1'000'000;

const std::vector<std::string> kSources = {"torchvision", "transformers", "timm"};
const std::vector<std::string> kOptimizers = {"sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adafactor"};
const std::vector<std::string> kPrecisions = {"fp32", "bf16-amp", "fp16-amp", "bf16"};

/// A fault in a grid; parse_grid catches it.
struct GridFault {
  std::string what;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// One of the tables under `jobs`.
class ProductReader {
 public:
  ProductReader(const Json& table, std::size_t number) : table_(table), place_("job " + std::to_string(number)) {
    if (!table.is_object()) throw GridFault{place_ + " is not a table"};
  }

  JobProduct read() {
    JobProduct product;
    product.source = words("source", {}, kSources, true).front();
    product.models = words("model", {}, {}, true);
    product.batches = numbers("batch", {}, 1);
    product.sizes = numbers("size", product.sizes, 0);
    product.optimizers = words("optimizer", product.optimizers, kOptimizers);
    product.precisions = words("precision", product.precisions, kPrecisions);
    product.checkpointing = flags("checkpointing", product.checkpointing);
    product.cards = words("card", {}, {}, true);
    product.sample = static_cast<std::size_t>(number("sample", 0));
    for (const auto& [key, value] : table_.items()) {
      if (!known_.contains(key)) throw GridFault{place_ + " has an unknown key '" + key + "'"};
    }
    return product;
  }

 private:
  /// The value as a list; a single value is a list of one. Null if it is missing.
  Json list(const std::string& key) {
    known_.insert(key);
    if (!table_.contains(key)) return nullptr;
    const auto& value = table_.at(key);
    if (value.is_array() && value.empty()) throw GridFault{place_ + ": '" + key + "' is empty"};
    return value.is_array() ? value : Json::array({value});
  }

  std::vector<std::string> words(const std::string& key, std::vector<std::string> otherwise,
                                 const std::vector<std::string>& allowed, bool required = false) {
    const auto values = list(key);
    if (values.is_null() && required) throw GridFault{place_ + " has no '" + key + "'"};
    if (values.is_null()) return otherwise;
    std::vector<std::string> result;
    for (const auto& value : values) {
      if (!value.is_string()) throw GridFault{place_ + ": '" + key + "' is not a string"};
      result.push_back(value.get<std::string>());
      if (!allowed.empty() && std::ranges::find(allowed, result.back()) == allowed.end()) {
        throw GridFault{place_ + ": unknown " + key + " '" + result.back() + "'; use one of " + joined(allowed)};
      }
    }
    return result;
  }

  std::vector<std::int64_t> numbers(const std::string& key, std::vector<std::int64_t> otherwise, std::int64_t least) {
    const auto values = list(key);
    if (values.is_null() && otherwise.empty()) throw GridFault{place_ + " has no '" + key + "'"};
    if (values.is_null()) return otherwise;
    std::vector<std::int64_t> result;
    for (const auto& value : values) {
      const bool fine = value.is_number_integer() && value.get<double>() >= static_cast<double>(least) &&
                        value.get<double>() <= static_cast<double>(kLargest);
      if (!fine) {
        throw GridFault{place_ + ": '" + key + "' is not a whole number from " + std::to_string(least) + " to " +
                        std::to_string(kLargest)};
      }
      result.push_back(value.get<std::int64_t>());
    }
    return result;
  }

  std::int64_t number(const std::string& key, std::int64_t otherwise) {
    if (table_.contains(key) && table_.at(key).is_array())
      throw GridFault{place_ + ": '" + key + "' is a list, not a number"};
    return numbers(key, {otherwise}, 1).front();
  }

  std::vector<bool> flags(const std::string& key, std::vector<bool> otherwise) {
    const auto values = list(key);
    if (values.is_null()) return otherwise;
    std::vector<bool> result;
    for (const auto& value : values) {
      if (!value.is_boolean()) throw GridFault{place_ + ": '" + key + "' is neither true nor false"};
      result.push_back(value.get<bool>());
    }
    return result;
  }

  const Json& table_;
  std::string place_;
  std::set<std::string> known_;
};

Result<Json> parse_toml(std::string_view text, const std::string& name) {
  const auto parsed = toml::parse(text);
  if (!parsed) {
    const auto& error = parsed.error();
    return Error{name + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()),
                 kHint};
  }
  std::ostringstream json;
  json << toml::json_formatter(parsed.table());
  return Json::parse(json.str(), nullptr, false);
}

Result<Json> parse_json(std::string_view text, const std::string& name) {
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{name + " is not JSON", kHint};
  return json;
}

std::vector<JobProduct> products_of(const Json& grid) {
  if (!grid.is_object() || !grid.contains("jobs")) throw GridFault{"the list 'jobs' is missing"};
  for (const auto& [key, value] : grid.items()) {
    if (key != "jobs") throw GridFault{"unknown key '" + key + "'"};
  }
  const auto& jobs = grid["jobs"];
  if (!jobs.is_array() || jobs.empty()) throw GridFault{"'jobs' is not a list of tables"};
  std::vector<JobProduct> products;
  for (std::size_t i = 0; i < jobs.size(); ++i) products.push_back(ProductReader(jobs[i], i + 1).read());
  return products;
}

/// FNV-1a: the same order on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  // Its high bits hardly depend on the last letters.
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

Result<std::vector<std::string>> models_of(const JobProduct& product, const ModelCatalogue& catalogue, bool strict) {
  const auto source = catalogue.sources.find(product.source);
  if (source == catalogue.sources.end()) {
    if (!strict) return std::vector<std::string>{};
    return Error{product.source + " is not installed in the Python environment",
                 "Install it, or choose another Python with --python."};
  }
  std::vector<std::string> found;
  for (const auto& pattern : product.models) {
    const auto before = found.size();
    std::ranges::copy_if(source->second, std::back_inserter(found),
                         [&](const std::string& name) { return matches(pattern, name); });
    if (strict && found.size() == before) {
      return Error{product.source + " has no model '" + pattern + "' in the Python environment",
                   "Run `dryfit harvest --list-models` to list them."};
    }
  }
  return found;
}

void add_jobs(const JobProduct& product, const std::string& model, std::set<HarvestJob>& jobs) {
  for (const auto batch : product.batches)
    for (const auto size : product.sizes)
      for (const auto& optimizer : product.optimizers)
        for (const auto& precision : product.precisions)
          for (const bool checkpointing : product.checkpointing)
            for (const auto& card : product.cards)
              jobs.insert({product.source, model, batch, size, optimizer, precision, checkpointing, card});
}

/// In a pseudo-random order that depends only on the jobs and `salt`.
std::vector<HarvestJob> mixed(const std::set<HarvestJob>& jobs, const std::string& salt) {
  std::vector<std::pair<std::uint64_t, const HarvestJob*>> order;
  for (const auto& job : jobs) order.emplace_back(hash_of(salt + key_of(job, "")), &job);
  std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
  std::vector<HarvestJob> result;
  for (const auto& [hash, job] : order) result.push_back(*job);
  return result;
}

/// Jobs are chosen in one order and run in another, so that products that are sampled do not run before those that are
/// taken whole.
void add_sample(const JobProduct& product, const std::vector<std::string>& models, std::set<HarvestJob>& jobs) {
  std::set<HarvestJob> all;
  for (const auto& model : models) add_jobs(product, model, all);
  const auto chosen = mixed(all, "sample ");
  const auto count = product.sample == 0 ? chosen.size() : std::min(product.sample, chosen.size());
  jobs.insert(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

Result<std::vector<JobProduct>> parse_grid(std::string_view text, bool json, const std::string& name) {
  const auto grid = json ? parse_json(text, name) : parse_toml(text, name);
  if (!grid) return grid.error();
  try {
    return products_of(*grid);
  } catch (const GridFault& fault) {
    return Error{name + ": " + fault.what, kHint};
  }
}

Result<std::vector<JobProduct>> read_grid(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || std::filesystem::is_directory(path) || !(text << file.rdbuf())) {
    return Error{"cannot read the grid '" + path.string() + "'", kHint};
  }
  return parse_grid(text.view(), path.extension() == ".json", path.string());
}

Result<ModelCatalogue> parse_catalogue(std::string_view text) {
  const auto json = Json::parse(text, nullptr, false);
  const Error error{"the Python environment did not list its models", ""};
  if (!json.is_object() || !json.contains("sources") || !json["sources"].is_object()) return error;
  if (!json.contains("torch") || !json["torch"].is_string()) {
    return Error{"PyTorch is not installed in the Python environment",
                 "Install it, or choose another Python with --python."};
  }
  ModelCatalogue catalogue{json["torch"].get<std::string>(), {}};
  for (const auto& [source, names] : json["sources"].items()) {
    for (const auto& name : names) {
      if (!name.is_string()) return error;
      catalogue.sources[source].push_back(name.get<std::string>());
    }
  }
  return catalogue;
}

Result<std::vector<HarvestJob>> expand(const std::vector<JobProduct>& products, const ModelCatalogue& catalogue,
                                       bool strict) {
  std::set<HarvestJob> jobs;
  for (const auto& product : products) {
    const auto models = models_of(product, catalogue, strict);
    if (!models) return models.error();
    add_sample(product, *models, jobs);
  }
  return mixed(jobs, "");
}

std::string key_of(const HarvestJob& job, const std::string& torch) {
  std::string key = job.source + "/" + job.model;
  if (job.size > 0) key += " size " + std::to_string(job.size);
  key += " batch " + std::to_string(job.batch) + " " + job.optimizer + " " + job.precision;
  if (job.checkpointing) key += " checkpointing";
  return key + " on " + job.card + ", torch " + torch;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*') {
    return !name.empty() && name.front() == pattern.front() && matches(pattern.substr(1), name.substr(1));
  }
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (matches(pattern.substr(1), name.substr(skipped))) return true;
  }
  return false;
}

}  // namespace dryfit::cli
