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
#include "analysis/sharing.h"
#include "base/bytes.h"
#include "base/diagnostics.h"
#include "card/card.h"
#include "card/machine.h"
#include "launch/writes.h"
#include "verdict/limits.h"

namespace dryfit::verdict {

enum class Answer {
  fits,
  tight,  ///< it fitted here, but something unknown could make it fail on a real GPU
  does_not_fit,
  cannot_tell,  ///< never looks like fits
};

/// True for fits and tight.
inline bool fitted(Answer answer) { return answer == Answer::fits || answer == Answer::tight; }

/// Something unknown that could change the answer: why a fit is tight, or why a failure might not happen.
struct Caveat {
  std::string name;  ///< stable: "outside_memory", "memory_ran_short", "address_order", "assumed_sizes", "tuning", …
  std::string text;  ///< a sentence without a full stop
};

/// The result of the run with one order of addresses.
struct OrderResult {
  AddressOrder order = AddressOrder::chunk;
  Answer answer = Answer::cannot_tell;
  std::optional<Bytes> device_peak;
  std::optional<Bytes> torch_peak_reserved;
};

/// What an estimate rests on, where the numbers do not come from a run.
struct EstimateFacts {
  std::vector<Caveat> gaps;  ///< what the trace does not contain and was assumed
  std::string damage;        ///< why the trace is incomplete; empty: it is complete
};

/// How the job on one GPU ended, as far as the verdict needs it.
struct RunFacts {
  bool ended_by_us = false;  ///< after the requested steps, on purpose
  bool timed_out = false;
  bool interrupted = false;
  std::string stall;  ///< we ended it because it stood still: which process waited for what; empty: it did not
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<std::uint64_t> planned_steps;      ///< to stop after; none: the program was to end by itself
  std::optional<std::uint64_t> cpu_limit_seconds;  ///< on each process's processor time (ulimit -t)
  double seconds = 0;
  Bytes host_peak_rss;
  std::vector<analysis::ProcessSummary> processes;
  std::vector<analysis::SharedDevice> shared;  ///< one per device that several of them used; empty: counted apart
  AddressOrder address_order = AddressOrder::chunk;
  bool address_order_assumed = false;     ///< the real platform may have another order, and no other is tried
  std::optional<Bytes> cap;               ///< that PyTorch's allocator was given
  std::optional<launch::Writes> writes;   ///< what became of them; none: the user wanted to keep them
  std::optional<EstimateFacts> estimate;  ///< set: the processes are estimated, not run
};

/// Several processes on the GPU whose numbers a verdict shows.
struct Sharing {
  int processes = 0;
  std::vector<analysis::Holder> at_peak;   ///< who held what when it was fullest
  Bytes coinciding_peak;                   ///< if the peaks of all that were there at once had come at the same time
  std::optional<analysis::Holder> failed;  ///< the process whose request failed, with what it held then
};

/// The answer for one GPU, with every number that reports show.
struct Verdict {
  Card card;
  Answer answer = Answer::cannot_tell;
  std::string reason;  ///< one clause; always set except for a plain fits
  std::string hint;    ///< what to do next; may be empty
  std::uint64_t steps = 0;
  bool device_used = false;   ///< false: no process used a GPU, and the numbers of the device mean nothing
  Bytes capacity;             ///< of the GPU, without what other jobs hold
  std::optional<Bytes> cap;   ///< on what PyTorch's allocator may reserve
  Bytes device_peak;          ///< = reserved_at_peak + libraries + context + code
  std::int64_t headroom = 0;  ///< capacity - device_peak
  // The memory outside PyTorch is partly counted and partly estimated; the truth is expected between these.
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
  // How the GPU's numbers were obtained; filled in by the code that read the catalogue.
  Origin context_origin = Origin::derived;  ///< of its idle context
  Origin outside_origin = Origin::derived;  ///< of the estimate of all memory outside PyTorch
  std::string outside_source;               ///< where that comes from, in words
  analysis::Moment peak_at;
  std::optional<analysis::FailedRequest> oom;
  std::optional<Sharing> sharing;  ///< absent: one process, or they were counted apart
  std::string oom_library;         ///< file name of the library that requested it; empty: PyTorch
  double seconds = 0;
  Bytes host_peak_rss;
  std::map<std::string, std::string> software;    ///< "python", "torch", "cuda", "cudnn"
  std::vector<analysis::Assumption> assumptions;  ///< of all processes, by Effect
  std::vector<std::string> tuning;                ///< autotuners whose choices the run followed, in words
  std::optional<Limits> limits;                   ///< filled in by the code that has the recording; none: not known
  std::optional<CapStudy> caps;                   ///< the same; none: not studied
  std::vector<OrderResult> orders;                ///< one per order of addresses that was run
  bool estimated = false;                         ///< by `dryfit estimate`; else the program ran and was counted
  std::vector<Caveat> gaps;                       ///< of an estimate: what its trace does not contain
  std::optional<launch::Writes> writes;           ///< of the program's files; none: they were kept, or nothing ran
  Diagnostics diagnostics;
};

/// Facts + GPU → answer. Pure.
///
/// Several processes: the numbers of a device are those of all that used it (diagnostic "processes_share_device"): its
/// peak as RunFacts::shared has it, or else the sum of their peaks, an upper bound. Of several devices the fullest
/// answers.
Verdict judge(const Card& card, const RunFacts& facts);

/// Whether the request that failed would have found room on the GPU, and only the cap was in its way.
bool is_stopped_by_cap(const Verdict& verdict);

/// Combines the verdicts of runs that differ only in the order of addresses; the first is of the order that the
/// platform most likely has. The numbers are those of the first that fitted, else of the first. An answer that depends
/// on the order is tight; "cannot tell" for any order makes the result "cannot tell".
Verdict combine(std::vector<Verdict> by_order);

/// The exit code for all requested GPUs: 3 when the job does not fit on one, else 1 when one is unknown, else 0. With
/// `strict`, a tight fit counts as a failure.
/// A certain "does not fit" outweighs an uncertain neighbour: the job cannot run on every requested GPU.
/// No verdict at all is 1.
int exit_code(std::span<const Verdict> verdicts, bool strict = false);

}  // namespace dryfit::verdict
