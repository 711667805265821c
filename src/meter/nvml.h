// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dryfit::meter {

/// A process that computes on a GPU.
struct GpuProcess {
  std::size_t device = 0;
  pid_t pid = 0;
  Bytes used;  ///< its context included
};

/// The machine's own libnvidia-ml.so.1, found by the dynamic linker and loaded while this lives. Not thread-safe.
class Nvml {
 public:
  /// An Error says what is missing: the library, a driver that answers it, or a GPU.
  static Result<Nvml> open(const std::string& library = "libnvidia-ml.so.1");
  Nvml(Nvml&&) noexcept;
  ~Nvml();

  /// The number of GPUs; a GPU that is divided (MIG) counts as its parts.
  std::size_t devices() const;

  /// "NVIDIA GeForce RTX 4090".
  std::string name(std::size_t device) const;

  /// The processes on all devices, without those for which NVML does not report the memory. In a container, NVML may
  /// report the ids that processes have outside it.
  std::vector<GpuProcess> processes() const;

  /// The most that a process ever held, if the GPU keeps accounts (nvidia-smi --accounting-mode).
  std::optional<Bytes> accounted_peak(std::size_t device, pid_t pid) const;

 private:
  struct State;
  explicit Nvml(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dryfit::meter
