// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "meter/nvml.h"

namespace dryfit::meter {

/// The most memory that a command held on one GPU.
struct GpuPeak {
  std::string card;        ///< NVML's name for it
  Bytes peak;              ///< sum over all processes of the command at one moment
  bool accounted = false;  ///< the driver itself kept the maximum; else it is the highest sample
};

struct GpuFindings {
  std::optional<GpuPeak> fullest;  ///< on the GPU that held most
  std::string missing;             ///< why there is none
};

/// Adds up samples and keeps, for each device, the largest sum over the command's processes.
class GpuTally {
 public:
  /// `counts` is true for the command's processes.
  void add(std::span<const GpuProcess> processes, const std::function<bool(pid_t)>& counts);

  /// The device that held most. `name` gives a device's name, `accounted` the peak that the driver kept for a process
  /// that was seen; the larger of it and the samples counts.
  std::optional<GpuPeak> fullest(const std::function<std::string(std::size_t)>& name,
                                 const std::function<std::optional<Bytes>(std::size_t, pid_t)>& accounted) const;

 private:
  std::map<std::size_t, Bytes> peaks_;
  std::set<std::pair<std::size_t, pid_t>> seen_;
};

/// Polls NVML for what the descendants of a process hold, in a thread of its own: every `interval`, and less often if
/// an answer takes long, so that polling never takes more than a twentieth of the time.
class GpuMeter {
 public:
  explicit GpuMeter(pid_t root, std::string library = "libnvidia-ml.so.1",
                    std::chrono::milliseconds interval = std::chrono::milliseconds(100));

  /// Ends the thread. Call once.
  GpuFindings finish();

 private:
  void measure(const std::stop_token& stop);
  void sample_until(const std::stop_token& stop, const Nvml& nvml);

  pid_t root_;
  std::string library_;
  std::chrono::milliseconds interval_;
  GpuTally tally_;
  GpuFindings findings_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace dryfit::meter
