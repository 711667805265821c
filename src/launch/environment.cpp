// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/environment.h"

#include <algorithm>
#include <array>

namespace dryfit::launch {
namespace {

constexpr std::array<std::string_view, 12> kReplaced = {
    "LD_LIBRARY_PATH", "PYTHONPATH",       "TORCHINDUCTOR_CACHE_DIR", "DRYFIT_MACHINE",
    "DRYFIT_STEPS",    "DRYFIT_KEEP_INIT", "DRYFIT_HISTORY",          "DRYFIT_UNKNOWN_SIZES",
    "DRYFIT_FLOPS",    "DRYFIT_EXPLAIN",   "CUDA_VISIBLE_DEVICES",    "NVIDIA_VISIBLE_DEVICES"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_replaced(const std::string& entry) {
  return std::find(kReplaced.begin(), kReplaced.end(), name_of(entry)) != kReplaced.end();
}

/// An empty old path must not become an empty element: that would mean the working directory.
std::string in_front(const std::filesystem::path& directory, std::optional<std::string_view> old) {
  if (!old || old->empty()) return directory.string();
  return directory.string() + ":" + std::string(*old);
}

}  // namespace

std::optional<std::string_view> value_of(const Environment& environment, std::string_view name) {
  for (const std::string_view entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

Environment guest_environment(const Environment& user, const GuestSettings& settings) {
  Environment result;
  std::remove_copy_if(user.begin(), user.end(), std::back_inserter(result), is_replaced);

  const auto add = [&result](std::string_view name, const std::string& value) {
    result.push_back(std::string(name) + "=" + value);
  };
  add("LD_LIBRARY_PATH", in_front(settings.driver_directory, value_of(user, "LD_LIBRARY_PATH")));
  add("PYTHONPATH", in_front(settings.hooks_directory, value_of(user, "PYTHONPATH")));
  if (!value_of(user, "TRITON_LIBCUDA_PATH")) add("TRITON_LIBCUDA_PATH", settings.driver_directory.string());
  add("TORCHINDUCTOR_CACHE_DIR", settings.inductor_cache.string());
  add("DRYFIT_MACHINE", settings.machine_file.string());
  add("DRYFIT_STEPS", settings.steps ? std::to_string(*settings.steps) : "all");
  if (settings.keep_initialisation) add("DRYFIT_KEEP_INIT", "1");
  add("DRYFIT_HISTORY", settings.memory_history ? "1" : "0");
  if (settings.explain) add("DRYFIT_EXPLAIN", "1");
  add("DRYFIT_UNKNOWN_SIZES", settings.unknown_sizes);
  if (settings.count_flops) add("DRYFIT_FLOPS", "1");
  return result;
}

Environment observed_environment(const Environment& user, const std::filesystem::path& hooks_directory,
                                 const std::filesystem::path& notes_directory) {
  Environment result;
  std::remove_copy_if(user.begin(), user.end(), std::back_inserter(result), [](const std::string& entry) {
    return name_of(entry) == "PYTHONPATH" || name_of(entry) == "DRYFIT_OBSERVE";
  });
  result.push_back("PYTHONPATH=" + in_front(hooks_directory, value_of(user, "PYTHONPATH")));
  result.push_back("DRYFIT_OBSERVE=" + notes_directory.string());
  return result;
}

}  // namespace dryfit::launch
