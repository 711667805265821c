// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "estimate/profile.h"

namespace dryfit::estimate {

/// Adds events of a trace, one JSON object at a time, to a profile. Skips what an estimate does not need, and counts
/// what cannot be parsed:
///   estimate.damaged_events   not JSON, or without the required fields
///   estimate.foreign_device   memory of neither the host nor a CUDA GPU
/// If that is about memory, Profile::damage says so: an answer without it would be too small.
class EventParser {
 public:
  /// `profile` must outlive it.
  explicit EventParser(Profile& profile);
  ~EventParser();

  /// `json` must be followed by 64 readable bytes.
  void add(std::string_view json);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dryfit::estimate
