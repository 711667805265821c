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
  bool ended_by_us = false;  ///< after the asked steps, on purpose
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
  bool device_used = false;  ///< false: no process touched a GPU, and the numbers of the device mean nothing
  Bytes capacity;
  Bytes device_peak;          ///< = reserved_at_peak + libraries + context + code
  std::int64_t headroom = 0;  ///< capacity - device_peak
  std::optional<Bytes> torch_peak_reserved;
  std::optional<Bytes> torch_peak_allocated;
  std::optional<Bytes> torch_reserved_after_load;
  std::uint64_t alloc_retries = 0;
  std::uint64_t ooms = 0;
  Bytes reserved_at_peak;  ///< by PyTorch, when the device was fullest
  Bytes context;
  Bytes libraries;
  Bytes code;
  std::map<std::string, Bytes> library_parts;  ///< `libraries` by file name
  Origin context_origin = Origin::derived;     ///< of the card's context; filled by who read the catalogue
  analysis::Moment peak_at;
  std::optional<analysis::FailedRequest> oom;
  double seconds = 0;
  Bytes host_peak_rss;
  std::map<std::string, std::string> software;  ///< "python", "torch", "cuda", "cudnn"
  Diagnostics diagnostics;
};

/// Facts + card → answer. Pure.
///
/// Several processes: those on one device add up (an upper bound, as their clocks are not compared; diagnostic
/// "processes_share_device"); of several devices the fullest answers.
Verdict judge(const Card& card, const RunFacts& facts);

/// The exit code for all cards asked about: 3 when one does not fit, else 1 when one cannot be told, else 0.
/// A certain "does not fit" outweighs an uncertain neighbour: the job cannot run on every card that was asked for.
/// No verdict at all is 1.
int exit_code(std::span<const Verdict> verdicts);

}  // namespace dryfit::verdict
