// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/compile_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = "triton";
constexpr const char* kGraphs = "fxgraph";
constexpr const char* kUnfinished = ".unfinished-";

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const unsigned char letter : text) hash = (hash ^ letter) * 1099511628211u;
  return hash;
}

std::string folder_name(const Machine& machine) {
  const auto text = to_text(Machine{.cards = machine.cards});
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "-%016llx", static_cast<unsigned long long>(hash_of(text)));
  return (machine.cards.empty() ? "none" : machine.cards.front().id) + digits.data();
}

std::vector<fs::path> children(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& each : fs::directory_iterator(folder, error)) found.push_back(each.path());
  std::ranges::sort(found);
  return found;
}

/// The entries of one kind, <kind>/<group>/<key>, relative to the cache.
std::vector<fs::path> entries_of(const fs::path& cache, const char* kind) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& group : children(cache / kind)) {
    for (const auto& entry : children(group)) {
      const bool is_whole = entry.filename().string().find(kUnfinished) == std::string::npos;
      if (is_whole && fs::is_directory(entry, error)) entries.push_back(entry.lexically_relative(cache));
    }
  }
  return entries;
}

std::vector<fs::path> all_entries(const fs::path& cache) {
  auto entries = entries_of(cache, kKernels);
  std::ranges::move(entries_of(cache, kGraphs), std::back_inserter(entries));
  return entries;
}

/// What an autotuner chose (Triton's Autotuner with `cache_results`).
bool is_choice(const fs::path& file) { return file.filename().string().ends_with(".autotune.json"); }

/// Whether its files are the run's own, and complete: none is a link, none is being written.
bool is_new(const fs::path& entry) {
  const auto files = children(entry);
  std::error_code error;
  return !files.empty() && std::ranges::all_of(files, [&](const auto& file) {
    return fs::is_regular_file(fs::symlink_status(file, error)) && !is_choice(file);
  });
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// Triton's list of an entry's files has their absolute paths.
void rewrite_paths(const fs::path& file, const fs::path& from, const fs::path& to) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  replace_all(text, from.string() + "/", to.string() + "/");
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

struct KeptEntry {
  fs::path path;
  Bytes bytes;
  std::int64_t read_at = 0;  ///< of the file that was read last, as far as the file system notes it
};

KeptEntry entry_at(const fs::path& path) {
  KeptEntry entry{.path = path};
  for (const auto& file : children(path)) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) continue;
    entry.bytes += Bytes{static_cast<std::uint64_t>(status.st_size)};
    entry.read_at = std::max<std::int64_t>({entry.read_at, status.st_atim.tv_sec, status.st_mtim.tv_sec});
  }
  return entry;
}

}  // namespace

CompileCache::CompileCache(const fs::path& folder, const Machine& machine, Bytes most)
    : all_(folder), own_(folder / folder_name(machine)), most_(most) {}

void CompileCache::lend(const fs::path& cache_of_run) const {
  std::error_code ignored;
  for (const auto& entry : all_entries(own_)) {
    fs::create_directories(cache_of_run / entry, ignored);
    for (const auto& file : children(own_ / entry)) {
      fs::create_symlink(file, cache_of_run / entry / file.filename(), ignored);
    }
  }
}

void CompileCache::keep(const fs::path& cache_of_run, bool with_graphs) const {
  for (const auto& entry : entries_of(cache_of_run, kKernels)) keep_entry(cache_of_run, entry);
  if (with_graphs) {
    for (const auto& entry : entries_of(cache_of_run, kGraphs)) keep_entry(cache_of_run, entry);
  }
  prune();
}

void CompileCache::keep_entry(const fs::path& cache_of_run, const fs::path& entry) const {
  std::error_code error;
  if (!is_new(cache_of_run / entry) || fs::exists(own_ / entry, error)) return;
  const auto unfinished = own_ / (entry.string() + kUnfinished + std::to_string(::getpid()));
  fs::create_directories(unfinished, error);
  fs::copy(cache_of_run / entry, unfinished, error);
  for (const auto& file : children(unfinished)) {
    if (file.filename().string().starts_with("__grp__")) rewrite_paths(file, cache_of_run, own_);
  }
  if (!error) fs::rename(unfinished, own_ / entry, error);
  std::error_code ignored;
  if (error) fs::remove_all(unfinished, ignored);
}

void CompileCache::prune() const {
  std::vector<KeptEntry> kept;
  Bytes sum;
  for (const auto& folder : children(all_)) {
    for (const auto& entry : all_entries(folder)) {
      kept.push_back(entry_at(folder / entry));
      sum += kept.back().bytes;
    }
  }
  std::ranges::stable_sort(kept, {}, &KeptEntry::read_at);
  std::error_code ignored;
  for (const auto& entry : kept) {
    if (sum < most_) break;
    fs::remove_all(entry.path, ignored);
    sum -= entry.bytes;
  }
}

}  // namespace dryfit::launch
