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
#include "card/machine.h"

namespace dryfit::verdict {

enum class Answer {
  fits,
  tight,  ///< it fitted here, and something that is not known could make it fail on a real card
  does_not_fit,
  cannot_tell,  ///< never looks like fits
};

/// True for fits and tight.
inline bool fitted(Answer answer) { return answer == Answer::fits || answer == Answer::tight; }

/// Something that is not known and could turn the answer: why a fit is tight, or why a failure might not happen.
struct Caveat {
  std::string name;  ///< stable: "outside_memory", "memory_ran_short", "address_order", "assumed_sizes", "tuning", …
  std::string text;  ///< a sentence without a full stop
};

/// How the run with one order of addresses came out.
struct OrderResult {
  AddressOrder order = AddressOrder::chunk;
  Answer answer = Answer::cannot_tell;
  std::optional<Bytes> device_peak;
  std::optional<Bytes> torch_peak_reserved;
};

/// What an estimate rests on, where the numbers are not of a run on the card.
struct EstimateFacts {
  std::vector<Caveat> gaps;  ///< what the trace does not tell, so that it was assumed
  std::string damage;        ///< why the trace is not whole; empty: it is
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
  AddressOrder address_order = AddressOrder::chunk;
  bool address_order_assumed = false;     ///< nobody said that the real platform has this order, and no other is tried
  std::optional<EstimateFacts> estimate;  ///< set: the processes are estimated, not run
};

/// The answer for one card, with every number the report shows.
struct Verdict {
  Card card;
  Answer answer = Answer::cannot_tell;
  std::string reason;  ///< one sentence; always set but for a plain fits
  std::string hint;    ///< what to do next; may be empty
  std::uint64_t steps = 0;
  bool device_used = false;  ///< false: no process touched a GPU, and the numbers of the device mean nothing
  Bytes capacity;
  Bytes device_peak;          ///< = reserved_at_peak + libraries + context + code
  std::int64_t headroom = 0;  ///< capacity - device_peak
  // What PyTorch does not see is counted in part and estimated in part; the truth is expected between these.
  Bytes outside_low;
  Bytes outside_high;
  Bytes device_peak_low;
  Bytes device_peak_high;
  std::vector<Caveat> caveats;  ///< never empty for tight, empty for fits
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
  // How the card's numbers were obtained; filled by who read the catalogue.
  Origin context_origin = Origin::derived;  ///< of its idle context
  Origin outside_origin = Origin::derived;  ///< of the estimate of all that PyTorch does not see
  std::string outside_source;               ///< where that comes from, in words
  analysis::Moment peak_at;
  std::optional<analysis::FailedRequest> oom;
  double seconds = 0;
  Bytes host_peak_rss;
  std::map<std::string, std::string> software;    ///< "python", "torch", "cuda", "cudnn"
  std::vector<analysis::Assumption> assumptions;  ///< of all processes, in their order; sizes before values read
  std::vector<std::string> tuning;                ///< autotuners whose choices the run followed, in words
  std::vector<OrderResult> orders;                ///< one per order of addresses that was run
  bool estimated = false;                         ///< by `dryfit estimate`; else the program ran and was counted
  std::vector<Caveat> gaps;                       ///< of an estimate: what its trace does not tell
  Diagnostics diagnostics;
};

/// Facts + card → answer. Pure.
///
/// Several processes: those on one device add up (an upper bound, as their clocks are not compared; diagnostic
/// "processes_share_device"); of several devices the fullest answers.
Verdict judge(const Card& card, const RunFacts& facts);

/// One verdict out of those of runs that differ in the order of addresses alone; the first is of the order that the
/// platform most likely has. The numbers are those of the first that fitted, else of the first. An answer that depends
/// on the order is tight; one that cannot be told for some order cannot be told.
Verdict combine(std::vector<Verdict> by_order);

/// The exit code for all cards asked about: 3 when one does not fit, else 1 when one cannot be told, else 0. With
/// `strict`, a tight fit counts as none.
/// A certain "does not fit" outweighs an uncertain neighbour: the job cannot run on every card that was asked for.
/// No verdict at all is 1.
int exit_code(std::span<const Verdict> verdicts, bool strict = false);

}  // namespace dryfit::verdict
