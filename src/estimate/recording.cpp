// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/recording.h"

#include <utility>

namespace dryfit::estimate {

Recording::Recording(Profile profile) : profile_(std::move(profile)) { drain(); }

void Recording::drain() {
  for (const auto& span : profile_.spans) {
    is_in_order_ = is_in_order_ && span.start >= last_start_;
    last_start_ = span.start;
    spans_.push_back(span);
  }
  for (const auto& record : profile_.memory) {
    is_in_order_ = is_in_order_ && record.time >= last_time_;
    last_time_ = record.time;
    on_gpu_ = on_gpu_ || record.on_gpu;
    memory_.push_back(record);
  }
  profile_.spans.clear();
  profile_.memory.clear();
}

}  // namespace dryfit::estimate
