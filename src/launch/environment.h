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

/// What the driver and the hooks read from the environment. All paths are absolute.
struct GuestSettings {
  std::filesystem::path driver_directory;
  std::filesystem::path hooks_directory;
  std::filesystem::path machine_file;
  std::filesystem::path inductor_cache;
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> most_steps;
  std::string until_text;
  bool keep_initialisation = false;
  bool memory_history = true;
  bool explain = true;
  bool may_time_out = false;
  std::string unknown_sizes = "full";
  std::optional<double> memory_fraction;
  bool count_flops = false;
  std::optional<std::uint16_t> rendezvous_port;  ///< for torchrun, whose default is one port for the whole machine
};

/// The value of a variable. If a name occurs twice, the first entry counts, as with getenv.
std::optional<std::string_view> value_of(const Environment& environment, std::string_view name);

/// The user's environment in its original order, changed so that the program finds the stand-in driver and the hooks:
///
///     LD_LIBRARY_PATH        the driver's directory is put in front
///     PATH                   the directory of our nvidia-smi is put in front
///     PYTHONPATH             the hooks' directory is put in front
///     TRITON_LIBCUDA_PATH    the driver's directory, unless the user set one
///     TORCHINDUCTOR_CACHE_DIR
///                            a directory of this run: what torch.compile tunes here was never timed on a GPU and must
///                            not reach a real run. From earlier ones it gets what cannot change a byte: Note [Kept
///                            compilations] in compile_cache.h
///     DRYFIT_MACHINE         the machine file
///     DRYFIT_STEPS           how many optimizer steps, or "all"
///     DRYFIT_MOST_STEPS      go on up to this many steps while the peak grows; absent: DRYFIT_STEPS is exact
///     DRYFIT_UNTIL           end when the program prints this text; absent otherwise
///     DRYFIT_KEEP_INIT       "1" to keep random initialisation, absent otherwise
///     DRYFIT_HISTORY         "1" or "0": have PyTorch record its memory history
///     DRYFIT_MAY_TIME_OUT    "1" to write the history after each step too, as the program may be killed; absent otherwise
///     DRYFIT_EXPLAIN         "1" if the hooks should mark what the history does not record, absent otherwise
///     DRYFIT_UNKNOWN_SIZES   "full", "none" or "fraction:x": what to assume for sizes that depend on unknown values
///     DRYFIT_MEMORY_FRACTION the fraction of each GPU that PyTorch's allocator may reserve, exactly; absent: all of it
///     DRYFIT_FLOPS           "1" to count floating-point operations, absent otherwise
///     PET_MASTER_PORT        the port that torchrun takes by default, unless the user set one: runs on several GPUs go
///                            side by side, and a second torchrun cannot listen on the first one's port
///     WANDB_MODE, NEPTUNE_MODE, COMET_START_ONLINE, CLEARML_OFFLINE_MODE, SWANLAB_MODE, HF_HUB_DISABLE_TELEMETRY
///                            offline, unless the user set them: the losses of a dry run are made up
///     CUDA_VISIBLE_DEVICES, NVIDIA_VISIBLE_DEVICES
///                            removed: they refer to this machine's cards (on a login node: "", "-1", the UUID of a MIG
///                            slice) and would hide the modelled ones. They apply if the program sets them itself.
///
/// Everything else stays as it is. That includes LD_PRELOAD, and PYTORCH_NVML_BASED_CUDA_CHECK, which the stand-in NVML
/// can answer.
Environment guest_environment(const Environment& user, const GuestSettings& settings);

/// What the hooks of a profile read from the environment. All paths are absolute.
struct ProfileSettings {
  std::filesystem::path hooks_directory;
  std::filesystem::path directory;  ///< for traces and the hooks' logs
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> batch;  ///< the batch size to set in a DataLoader
  std::string version;                 ///< Dryfit's own
  std::vector<std::string> command;
};

/// The user's environment for a command that runs on the CPU and believes that it has a GPU:
///
///     PYTHONPATH             the hooks' directory is put in front
///     CUDA_VISIBLE_DEVICES   empty: a real GPU must not be used
///     TORCHDYNAMO_DISABLE    "1": code that torch.compile makes for a CPU says nothing about a GPU, so programs run
///                            uncompiled
///     KINETO_LOG_LEVEL       "99", unless the user set it: PyTorch's profiler complains about a missing GPU on stderr
///     DRYFIT_PROFILE         the directory for traces
///     DRYFIT_STEPS           how many optimizer steps, or "all"
///     DRYFIT_BATCH           the batch size to set in a DataLoader; absent: the program's own
///     DRYFIT_VERSION, DRYFIT_COMMAND
///                            for the trace: Dryfit's version, and the words of the command as a JSON list
///     WANDB_MODE, …          offline, as in guest_environment
Environment profile_environment(const Environment& user, const ProfileSettings& settings);

/// The user's environment for a command that runs on the real GPU and is only observed:
///
///     PYTHONPATH             the hooks' directory is put in front
///     DRYFIT_OBSERVE         the directory where the hooks write what PyTorch counted
Environment observed_environment(const Environment& user, const std::filesystem::path& hooks_directory,
                                 const std::filesystem::path& notes_directory);

}  // namespace dryfit::launch
