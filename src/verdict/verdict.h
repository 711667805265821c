// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_summary.h"
#include "base/bytes.h"
#include "base/diagnostics.h"
#include "card/card.h"

namespace dryfit::verdict {

enum class Answer {
  fits,
  does_not_fit,
  cannot_tell,  ///< never looks like fits
};

/// How the job on one card ended, as far as the verdict needs it.
struct RunFacts {
  bool ended_by_us = false;    ///< after the asked steps, on purpose
  bool timed_out = false;
  bool interrupted = false;
  std::optional<int> exit_code;
  std::optional<int> signal;
  double seconds = 0;
  Bytes host_peak_rss;
  std::vector<analysis::ProcessSummary> processes;
};

/// The answer for one card, with every number the report shows.
struct Verdict {
  Card card;
  Answer answer = Answer::cannot_tell;
  std::string reason;  ///< one sentence; always set for cannot_tell
  std::string hint;    ///< what to do next; may be empty
  std::uint64_t steps = 0;
  Bytes capacity;
  Bytes device_peak;
  std::int64_t headroom = 0;  ///< capacity - device_peak
  std::optional<Bytes> torch_peak_reserved;
  std::optional<Bytes> torch_peak_allocated;
  std::optional<Bytes> torch_reserved_after_load;
  std::uint64_t alloc_retries = 0;
  std::uint64_t ooms = 0;
  Bytes context;
  Bytes libraries;
  Bytes code;
  analysis::Moment peak_at;
  std::optional<analysis::FailedRequest> oom;
  double seconds = 0;
  Bytes host_peak_rss;
  std::map<std::string, std::string> software;  ///< "python", "torch", "cuda", "cudnn"
  Diagnostics diagnostics;
};

/// Facts + card → answer. Pure.
Verdict judge(const Card& card, const RunFacts& facts);

}  // namespace dryfit::verdict
