// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/write_layer.h"

#include <cstring>
#include <fstream>
#include <utility>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using Kind = LayerStep::Kind;

/// Of the effective capabilities in /proc/self/status.
bool may_mount() {
  constexpr unsigned long long kMayAdminister = 1ULL << 21;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:")) return std::strtoull(line.c_str() + 7, nullptr, 16) & kMayAdminister;
  }
  return false;
}

/// Elsewhere, mounts from outside can't be taken apart, and overlays can't keep their notes where they usually do.
bool is_in_first_user_namespace() {
  std::ifstream map("/proc/self/uid_map");
  unsigned long first = 1, outside = 1, count = 0;
  map >> first >> outside >> count;
  constexpr unsigned long kAll = 4294967295;
  return first == 0 && outside == 0 && count == kAll;
}

const char* task_of(Kind kind) {
  switch (kind) {
    case Kind::own_mounts:
    case Kind::part_mounts:
      return "a mount namespace was refused";
    case Kind::own_user:
      return "a user namespace was refused";
    case Kind::cover:
    case Kind::cover_through:
      return "an overlay was refused";
    default:
      return "a mount was refused";
  }
}

std::string reason_of(const LayerStep& step, int error) {
  const auto where = step.at.empty() ? "" : " at '" + step.at + "'";
  return task_of(step.kind) + where + " (" + std::strerror(error) + ")";
}

fs::path folder_or(const Environment& environment, const char* name, const fs::path& otherwise) {
  const auto value = value_of(environment, name);
  return value && !value->empty() ? fs::path(*value) : otherwise;
}

/// The existing part of a path that a text consists of or ends with ("--output=/data/run").
std::optional<fs::path> folder_named_in(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || (slash > 0 && text[slash - 1] != '=')) return std::nullopt;
  if (text.find(':') != std::string_view::npos) return std::nullopt;
  std::error_code error;
  fs::path path(text.substr(slash));
  while (!fs::is_directory(path, error) && path.has_relative_path()) path = path.parent_path();
  auto real = fs::canonical(path, error);
  return error ? std::nullopt : std::optional(std::move(real));
}

/// Where the program may write, beside its working directory: what its arguments and variables name.
std::vector<fs::path> named_folders(const std::vector<std::string>& command, const Environment& environment) {
  std::vector<fs::path> folders;
  for (const auto* texts : {&command, &environment}) {
    for (const auto& text : *texts) {
      if (auto folder = folder_named_in(text)) folders.push_back(std::move(*folder));
    }
  }
  return folders;
}

}  // namespace

std::vector<fs::path> download_folders(const Environment& environment) {
  const auto home = folder_or(environment, "HOME", "/nonexistent");
  const auto cache = folder_or(environment, "XDG_CACHE_HOME", home / ".cache");
  const auto hugging_face = folder_or(environment, "HF_HOME", cache / "huggingface");
  const auto torch = folder_or(environment, "TORCH_HOME", cache / "torch");
  std::vector<fs::path> folders;
  for (const auto& folder :
       {folder_or(environment, "HF_HUB_CACHE", hugging_face / "hub"), torch / "hub" / "checkpoints"}) {
    std::error_code error;
    const auto real = fs::canonical(folder, error);
    if (!error && fs::is_directory(real, error)) folders.push_back(real);
  }
  return folders;
}

WriteLayer::WriteLayer(const std::vector<std::string>& command, const Environment& environment,
                       const fs::path& run_directory) {
  auto scratch = ScratchFolder::make(environment);
  std::error_code error;
  LayerGround ground{.mounts = own_mounts(), .working_directory = fs::current_path(error)};
  if (!scratch || error) {
    why_not_ = error ? "the working directory does not exist" : scratch.error().what;
    return;
  }
  scratch_.emplace(std::move(scratch).value());
  ground.scratch = scratch_->path();
  ground.kept = download_folders(environment);
  ground.kept.push_back(fs::canonical(run_directory, error));
  ground.likely = named_folders(command, environment);
  const bool is_free = may_mount() && is_in_first_user_namespace();
  auto plan = is_free ? plan_with_privileges(ground) : plan_without_privileges(ground);
  if (plan) {
    plan_ = std::move(plan).value();
  } else {
    why_not_ = plan.error().what;
  }
}

void WriteLayer::take(const LayerNews& news) {
  const auto& step = plan_.steps[static_cast<std::size_t>(news.step)];
  if (news.kind == LayerNews::Kind::frozen) return frozen_.push_back(step.from);
  why_not_ = reason_of(step, news.error);
}

Writes WriteLayer::writes() const {
  if (!why_not_.empty()) return {.why_not = why_not_};
  auto writes = count_changes(plan_.covered);
  writes.refused = frozen_;
  for (const auto& step : plan_.steps) {
    if (step.kind == Kind::freeze_folder) writes.refused.push_back(step.at);
  }
  return writes;
}

}  // namespace dryfit::launch
