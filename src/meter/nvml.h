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

/// A process that computes on a card.
struct GpuProcess {
  std::size_t device = 0;
  pid_t pid = 0;
  Bytes used;  ///< its context included
};

/// The machine's own libnvidia-ml.so.1, found as the dynamic linker finds it, and asked while this lives. Not
/// thread-safe.
class Nvml {
 public:
  /// An Error says what is missing: the library, a driver that answers it, or a card.
  static Result<Nvml> open(const std::string& library = "libnvidia-ml.so.1");
  Nvml(Nvml&&) noexcept;
  ~Nvml();

  /// Cards, and in place of one that is divided (MIG) its parts.
  std::size_t devices() const;

  /// "NVIDIA GeForce RTX 4090".
  std::string name(std::size_t device) const;

  /// The processes on all devices. One whose memory NVML does not tell is left out. In a container NVML may tell the
  /// ids that processes have outside of it.
  std::vector<GpuProcess> processes() const;

  /// The most that a process ever held, where the card keeps accounts (nvidia-smi --accounting-mode).
  std::optional<Bytes> accounted_peak(std::size_t device, pid_t pid) const;

 private:
  struct State;
  explicit Nvml(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dryfit::meter
