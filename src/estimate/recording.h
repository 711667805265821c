// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>

#include "base/result.h"
#include "estimate/profile.h"
#include "estimate/profile_reader.h"
#include "estimate/spool.h"

namespace dryfit::estimate {

/// A profile with possibly more spans and memory records than fit into memory.
class Recording {
 public:
  explicit Recording(Profile profile);

  Profile& profile() { return profile_; }
  const Profile& profile() const { return profile_; }
  Spool<Span>& spans() { return spans_; }
  Spool<MemoryRecord>& memory() { return memory_; }
  /// Spans came in the order of their beginnings, and memory records in that of their times, as PyTorch writes them.
  bool is_in_order() const { return is_in_order_; }
  /// The profile was made on a GPU, and the GPU's blocks are those that count.
  bool on_gpu() const { return on_gpu_; }

  /// Takes over what the profile has read since the last call.
  void drain();

 private:
  Profile profile_;
  Spool<Span> spans_;
  Spool<MemoryRecord> memory_;
  Time last_start_ = std::numeric_limits<Time>::min();
  Time last_time_ = std::numeric_limits<Time>::min();
  bool is_in_order_ = true;
  bool on_gpu_ = false;
};

/// Like read_profile, for traces of any size.
Result<Recording> read_recording(ByteSource& source, const std::string& name, const Progress& progress = {});
Result<Recording> read_recording(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace dryfit::estimate
