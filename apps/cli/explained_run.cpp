// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explained_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "explain/explain.h"
#include "kept_runs.h"
#include "launch/run_directory.h"
#include "own_environment.h"
#include "replay_source.h"
#include "run_manifest.h"
#include "whatif/recording.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

/// The runs on single GPUs in a folder: itself, or the folders below it that have a history.
std::vector<fs::path> runs_of_cards(const fs::path& folder) {
  if (!launch::RunDirectory(folder).histories().empty()) return {folder};
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error) && !launch::RunDirectory(entry.path()).histories().empty()) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

fs::path marks_beside(const fs::path& history) {
  constexpr std::string_view kHistory = "history-";
  const auto stem = history.stem().string();
  if (!stem.starts_with(kHistory)) return {};
  return history.parent_path() / ("marks-" + stem.substr(kHistory.size()) + ".json");
}

simulator::TorchVersion version_of(const ReplaySource& source) {
  const auto known = simulator::parse_torch_version(source.torch().value_or(source.snapshot.oldest_torch));
  return known ? *known : simulator::TorchVersion::newest();
}

/// If the process used several devices, the one on which it allocated most. nullopt: PyTorch allocated nothing in it, as in
/// a launcher that only asked for the number of GPUs.
Result<std::optional<ExplainedRun>> explain_used(const fs::path& history) {
  auto source = read_source(history);
  if (!source) return source.error();
  std::optional<explain::Explanation> largest;
  std::optional<Error> failed;
  for (const int device : whatif::recorded_devices(source->snapshot)) {
    std::optional<explain::Marks> marks;
    std::error_code ignored;
    if (const auto file = marks_beside(history); fs::exists(file, ignored)) {
      auto read = explain::read_marks(file, device);
      if (!read) return read.error();
      marks = std::move(read).value();
    }
    auto explained = explain::explain({.snapshot = &source->snapshot,
                                       .device = device,
                                       .torch = version_of(*source),
                                       .marks = marks ? &*marks : nullptr,
                                       .process = source->process ? &*source->process : nullptr});
    if (!explained) {
      failed = explained.error();
    } else if (!largest || explained->peak.allocated > largest->peak.allocated) {
      largest = std::move(explained).value();
    }
  }
  if (failed && !largest) return *failed;
  if (!largest) return std::optional<ExplainedRun>();
  return std::optional(ExplainedRun{history, std::move(source->snapshot), std::move(*largest)});
}

Error without_events(const fs::path& path) { return {path.string() + ": it contains no recorded events", ""}; }

Result<ExplainedRun> explain_history(const fs::path& history) {
  auto explained = explain_used(history);
  if (!explained) return explained.error();
  if (!*explained) return without_events(history);
  return std::move(**explained);
}

std::string names_of(const std::vector<fs::path>& folders) {
  std::string names;
  for (const auto& folder : folders) names += (names.empty() ? "" : " or ") + folder.filename().string();
  return names;
}

}  // namespace

Result<ExplainedRun> explain_folder(const fs::path& folder) {
  const auto histories = launch::RunDirectory(folder).histories();
  if (histories.empty()) return Error{"there is no memory history in '" + folder.string() + "'", ""};
  std::optional<ExplainedRun> largest;
  std::size_t processes = 0;
  for (const auto& history : histories) {
    auto explained = explain_used(history);
    if (!explained) return explained.error();
    auto& used = *explained;
    if (!used) continue;
    ++processes;
    if (!largest || used->explanation.peak.allocated > largest->explanation.peak.allocated)
      largest.emplace(std::move(*used));
  }
  if (!largest) return without_events(histories.front());
  largest->explanation.processes = processes;
  return std::move(*largest);
}

Result<ExplainedRun> explain_run(const std::string& run, const std::string& gpu) {
  const auto path = named_run(run, own_environment());
  if (!path) return path.error();
  std::error_code error;
  if (!fs::is_directory(*path, error)) return explain_history(*path);
  auto folders = runs_of_cards(*path);
  const auto names = names_of(folders);
  if (!gpu.empty()) std::erase_if(folders, [&](const fs::path& each) { return each.filename() != gpu; });
  if (folders.empty()) {
    if (const auto status = check_run(*path); !status) return status.error();
    if (names.empty()) {
      return Error{fmt::format("there is no memory history in '{}'", path->string()),
                   "A run with --no-history has none."};
    }
    return Error{fmt::format("there is no run on '{}' in '{}'", gpu, path->string()), "Give --gpu " + names + "."};
  }
  if (folders.size() > 1) {
    return Error{"'" + run + "' holds runs on several GPUs", "Choose one with --gpu: " + names + "."};
  }
  return explain_folder(folders.front());
}

}  // namespace dryfit::cli
