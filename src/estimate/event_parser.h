// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "estimate/profile.h"

namespace dryfit::estimate {

/// Takes events of a trace, one JSON object at a time, into a profile. What an estimate does not need is passed over;
/// what cannot be understood is counted:
///   estimate.damaged_events   no JSON, or without what such an event must have
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
