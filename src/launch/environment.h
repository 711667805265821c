// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dryfit::launch {

/// "NAME=value" entries, as execve takes them.
using Environment = std::vector<std::string>;

/// What the driver and the hooks are told through the environment. All paths are absolute.
struct GuestSettings {
  std::filesystem::path driver_directory;
  std::filesystem::path hooks_directory;
  std::filesystem::path machine_file;
  std::filesystem::path inductor_cache;
  std::optional<std::uint64_t> steps;
  bool keep_initialisation = false;
  bool memory_history = true;
  bool explain = true;
  std::string unknown_sizes = "full";
  bool count_flops = false;
};

/// The value of a variable; of the first entry, as getenv answers, where a name is there twice.
std::optional<std::string_view> value_of(const Environment& environment, std::string_view name);

/// The user's environment, in its order, changed so that the program meets the stand-in driver and the hooks:
///
///     LD_LIBRARY_PATH        the driver's directory is put in front
///     PYTHONPATH             the hooks' directory is put in front
///     TRITON_LIBCUDA_PATH    the driver's directory, unless the user set one
///     TORCHINDUCTOR_CACHE_DIR
///                            a directory of this run: what torch.compile tunes here was timed on no GPU and must not
///                            meet a real run; nor does a run depend on what earlier ones left behind
///     DRYFIT_MACHINE         the machine file
///     DRYFIT_STEPS           how many optimizer steps, or "all"
///     DRYFIT_KEEP_INIT       "1" when random initialisation is to be kept, absent otherwise
///     DRYFIT_HISTORY         "1" or "0": have PyTorch record its memory history
///     DRYFIT_EXPLAIN         "1" when the hooks are to mark what the history cannot tell, absent otherwise
///     DRYFIT_UNKNOWN_SIZES   "full", "none" or "fraction:x": what is assumed of sizes that nobody can tell
///     DRYFIT_FLOPS           "1" when floating-point operations are to be counted, absent otherwise
///     CUDA_VISIBLE_DEVICES, NVIDIA_VISIBLE_DEVICES
///                            removed: they speak of this machine's cards (on a login node: "", "-1", the uuid of a MIG
///                            slice) and would hide the modelled ones. A program that sets them for itself is heard.
///
/// Everything else stays as it is. That includes LD_PRELOAD, and PYTORCH_NVML_BASED_CUDA_CHECK, whose question the
/// stand-in NVML answers.
Environment guest_environment(const Environment& user, const GuestSettings& settings);

/// What the hooks of a profile are told. All paths are absolute.
struct ProfileSettings {
  std::filesystem::path hooks_directory;
  std::filesystem::path directory;  ///< where traces and what is told go
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> batch;  ///< what a DataLoader's batch is to be
  std::string version;                 ///< Dryfit's own
  std::vector<std::string> command;
};

/// The user's environment for a command that runs on the CPU and takes it for a GPU:
///
///     PYTHONPATH             the hooks' directory is put in front
///     CUDA_VISIBLE_DEVICES   empty: a real GPU is not to be touched
///     TORCHDYNAMO_DISABLE    "1": what torch.compile makes for a CPU says nothing about a GPU, so programs run
///     uncompiled KINETO_LOG_LEVEL       "99", unless the user set it: PyTorch's profiler complains about a missing GPU
///     on stderr DRYFIT_PROFILE         the directory for traces DRYFIT_STEPS           how many optimizer steps, or
///     "all" DRYFIT_BATCH           what a DataLoader's batch is to be; absent: as the program asks DRYFIT_VERSION,
///     DRYFIT_COMMAND
///                            for the trace: Dryfit's version, and the words of the command as a JSON list
Environment profile_environment(const Environment& user, const ProfileSettings& settings);

/// The user's environment for a command that runs on the real GPU and is only looked at:
///
///     PYTHONPATH             the hooks' directory is put in front
///     DRYFIT_OBSERVE         the directory in which the hooks leave what PyTorch counted
Environment observed_environment(const Environment& user, const std::filesystem::path& hooks_directory,
                                 const std::filesystem::path& notes_directory);

}  // namespace dryfit::launch
