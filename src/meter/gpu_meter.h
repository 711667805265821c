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

/// The most that was held on a card.
struct GpuPeak {
  std::string card;        ///< as NVML calls it
  Bytes peak;              ///< of all processes of the command that were there at once
  bool accounted = false;  ///< the driver itself kept the maximum; else it is the highest sample
};

struct GpuFindings {
  std::optional<GpuPeak> fullest;  ///< of the card that held most
  std::string missing;             ///< why there is none
};

/// Adds up samples: of each device the largest sum over the processes that count.
class GpuTally {
 public:
  /// `counts` tells which processes are the command's.
  void add(std::span<const GpuProcess> processes, const std::function<bool(pid_t)>& counts);

  /// The device that held most, with what `accounted` knows of processes that were seen: a card's name and accounts.
  std::optional<GpuPeak> fullest(const std::function<std::string(std::size_t)>& name,
                                 const std::function<std::optional<Bytes>(std::size_t, pid_t)>& accounted) const;

 private:
  std::map<std::size_t, Bytes> peaks_;
  std::set<std::pair<std::size_t, pid_t>> seen_;
};

/// Asks NVML again and again what the descendants of a process hold, in a thread of its own. It asks every `interval`,
/// and less often where an answer takes long: never more than a twentieth of the time.
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
