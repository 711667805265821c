// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace dryfit::launch {
namespace {

constexpr std::array<std::string_view, 17> kReplaced = {"PATH",
                                                        "LD_LIBRARY_PATH",
                                                        "PYTHONPATH",
                                                        "TORCHINDUCTOR_CACHE_DIR",
                                                        "DRYFIT_MACHINE",
                                                        "DRYFIT_MOST_STEPS",
                                                        "DRYFIT_UNTIL",
                                                        "DRYFIT_STEPS",
                                                        "DRYFIT_KEEP_INIT",
                                                        "DRYFIT_HISTORY",
                                                        "DRYFIT_UNKNOWN_SIZES",
                                                        "DRYFIT_FLOPS",
                                                        "DRYFIT_MEMORY_FRACTION",
                                                        "DRYFIT_EXPLAIN",
                                                        "DRYFIT_MAY_TIME_OUT",
                                                        "CUDA_VISIBLE_DEVICES",
                                                        "NVIDIA_VISIBLE_DEVICES"};

/// Where a shell looks if it has no PATH.
constexpr std::string_view kPathIfNone = "/usr/local/bin:/usr/bin:/bin";

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_replaced(const std::string& entry) {
  return std::find(kReplaced.begin(), kReplaced.end(), name_of(entry)) != kReplaced.end();
}

constexpr std::array<std::string_view, 10> kReplacedForProfile = {
    "PYTHONPATH",     "CUDA_VISIBLE_DEVICES", "TORCHDYNAMO_DISABLE", "DRYFIT_MACHINE", "DRYFIT_OBSERVE",
    "DRYFIT_PROFILE", "DRYFIT_STEPS",         "DRYFIT_BATCH",        "DRYFIT_VERSION", "DRYFIT_COMMAND"};

bool is_of_profile(const std::string& entry) {
  return std::find(kReplacedForProfile.begin(), kReplacedForProfile.end(), name_of(entry)) != kReplacedForProfile.end();
}

std::string json_text(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') json += '\\';
    if (code < 0x20) {
      json.append("\\u00") += kDigits[code >> 4];
      json += kDigits[code & 15];
    } else {
      json += letter;
    }
  }
  return json + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string json;
  for (const auto& text : texts) json += (json.empty() ? "" : ", ") + json_text(text);
  return "[" + json + "]";
}

/// With as many digits as it takes to read the same number again.
std::string exact_text(double number) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

/// A dry run has nothing to report to anyone.
constexpr std::array<std::pair<const char*, const char*>, 6> kOffline = {{{"WANDB_MODE", "offline"},
                                                                          {"NEPTUNE_MODE", "offline"},
                                                                          {"COMET_START_ONLINE", "0"},
                                                                          {"CLEARML_OFFLINE_MODE", "1"},
                                                                          {"SWANLAB_MODE", "offline"},
                                                                          {"HF_HUB_DISABLE_TELEMETRY", "1"}}};

void keep_trackers_offline(Environment& environment) {
  for (const auto& [name, value] : kOffline) {
    if (!value_of(environment, name)) environment.push_back(std::string(name) + "=" + value);
  }
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
  add("PATH", in_front(settings.driver_directory / "path", value_of(user, "PATH").value_or(kPathIfNone)));
  add("PYTHONPATH", in_front(settings.hooks_directory, value_of(user, "PYTHONPATH")));
  if (!value_of(user, "TRITON_LIBCUDA_PATH")) add("TRITON_LIBCUDA_PATH", settings.driver_directory.string());
  add("TORCHINDUCTOR_CACHE_DIR", settings.inductor_cache.string());
  add("DRYFIT_MACHINE", settings.machine_file.string());
  add("DRYFIT_STEPS", settings.steps ? std::to_string(*settings.steps) : "all");
  if (settings.most_steps) add("DRYFIT_MOST_STEPS", std::to_string(*settings.most_steps));
  if (!settings.until_text.empty()) add("DRYFIT_UNTIL", settings.until_text);
  if (settings.keep_initialisation) add("DRYFIT_KEEP_INIT", "1");
  add("DRYFIT_HISTORY", settings.memory_history ? "1" : "0");
  if (settings.explain) add("DRYFIT_EXPLAIN", "1");
  if (settings.may_time_out) add("DRYFIT_MAY_TIME_OUT", "1");
  add("DRYFIT_UNKNOWN_SIZES", settings.unknown_sizes);
  if (settings.memory_fraction) add("DRYFIT_MEMORY_FRACTION", exact_text(*settings.memory_fraction));
  if (settings.count_flops) add("DRYFIT_FLOPS", "1");
  constexpr const char* kTorchrunPort = "PET_MASTER_PORT";
  if (settings.rendezvous_port && !value_of(user, kTorchrunPort)) {
    add(kTorchrunPort, std::to_string(*settings.rendezvous_port));
  }
  keep_trackers_offline(result);
  return result;
}

Environment profile_environment(const Environment& user, const ProfileSettings& settings) {
  Environment result;
  std::remove_copy_if(user.begin(), user.end(), std::back_inserter(result), is_of_profile);
  const auto add = [&result](std::string_view name, const std::string& value) {
    result.push_back(std::string(name) + "=" + value);
  };
  add("PYTHONPATH", in_front(settings.hooks_directory, value_of(user, "PYTHONPATH")));
  add("CUDA_VISIBLE_DEVICES", "");
  add("TORCHDYNAMO_DISABLE", "1");
  if (!value_of(user, "KINETO_LOG_LEVEL")) add("KINETO_LOG_LEVEL", "99");
  add("DRYFIT_PROFILE", settings.directory.string());
  add("DRYFIT_STEPS", settings.steps ? std::to_string(*settings.steps) : "all");
  if (settings.batch) add("DRYFIT_BATCH", std::to_string(*settings.batch));
  add("DRYFIT_VERSION", settings.version);
  add("DRYFIT_COMMAND", json_list(settings.command));
  keep_trackers_offline(result);
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
