// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/run_summary.h"
#include "base/bytes.h"
#include "trace/events.h"

namespace dryfit::analysis {

/// True for libraries through which PyTorch's own allocator calls the driver: the shared libcudart, which no other
/// library of a CUDA wheel uses (cuBLAS, cuDNN and NCCL contain a static one), and libc10/libtorch (expandable
/// segments).
bool belongs_to_torch(std::string_view library);

/// The file name of a library given by name or path.
std::string_view file_name(std::string_view library);

/// Sets the peak and its parts to nothing.
void clear_peak(DeviceSummary& summary);

/// The memory of one device as one process uses it: what each part holds now, and held at the peak.
///
///     used = torch + libraries + context + code     (always)
///     peak = max over time of used                  (the parts are those of the first such moment)
class DeviceLedger {
 public:
  explicit DeviceLedger(std::uint32_t ordinal) { summary_.ordinal = summary_.slot = ordinal; }

  void describe(std::string card, Bytes capacity);

  /// False if that address is taken already; then nothing changes.
  bool take(const trace::Allocate& event, std::string_view library, const Moment& now);

  /// False if nothing lives at that address; then nothing changes.
  bool give_back(const trace::Release& event);

  /// The fields that do not follow from allocations are the caller's to fill.
  DeviceSummary& summary() { return summary_; }
  const DeviceSummary& summary() const { return summary_; }

  Bytes used() const { return used_; }

  /// Adds what is in use now, and its parts, to a peak of several processes.
  void add_to(DeviceSummary& peak) const;
  bool touched() const { return touched_; }

 private:
  enum class Share { torch, libraries, context, code };
  struct Block {
    Share share;
    std::string library;
    Bytes charged;
  };
  using Key = std::pair<trace::Purpose, std::uint64_t>;

  static Share share_of(trace::Purpose purpose, std::string_view library);
  void move(const Block& block, bool taken);
  Bytes share(Share which) const;
  void note_peak(const Moment& now);
  void check_invariants() const;

  DeviceSummary summary_;
  std::map<Key, Block> live_;
  std::map<Share, Bytes> shares_;
  std::map<std::string, Bytes> by_library_;
  Bytes used_;
  bool touched_ = false;
};

}  // namespace dryfit::analysis
