// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/events.h"

namespace dryfit::analysis {

/// A place in the program's life.
struct Moment {
  std::uint64_t step = 0;  ///< 1 is the first training step; 0 is before it
  std::string phase;       ///< "load", "forward", "backward", "optimizer", "other"
};

/// A process that holds memory of a device.
struct Holder {
  std::uint32_t pid = 0;
  std::string command;  ///< "python train.py"; empty: not known
  Bytes held;
};

/// A request that failed: PyTorch raised an OutOfMemoryError, or the driver refused it.
struct FailedRequest {
  Bytes requested;
  Bytes device_free;
  Moment at;
  std::vector<Holder> others = {};  ///< other processes that held memory of the device then
};

/// The driver answered a request with "out of memory". PyTorch's allocator may recover from it (it gives back what it
/// caches and tries again); another library usually does not.
struct Refusal {
  FailedRequest request;
  std::string library;  ///< file name of the shared library that made the request
  bool by_torch = false;
  std::uint64_t steps = 0;  ///< optimizer steps completed by then
};

/// A place in the program where a size depends on values that were not computed, so it was assumed. If such values were
/// read, and may have become sizes, `of` is 0.
struct Assumption {
  std::string what;   ///< the operation: "nonzero"
  std::string where;  ///< the line of the program: "train.py:42"; empty: not known
  std::uint64_t times = 0;
  // The one time that counts: the largest number of elements assumed, and if possible one below its maximum.
  std::uint64_t assumed = 0;  ///< elements assumed that time
  std::uint64_t of = 0;       ///< the largest possible number of elements that time
};

/// What one process did on one device.
struct DeviceSummary {
  std::uint32_t ordinal = 0;  ///< the program's number for it
  std::uint32_t slot = 0;     ///< its number in the machine, the same for all processes
  std::string card;
  Bytes capacity;

  Bytes peak;      ///< most bytes in use at once, everything included
  Moment peak_at;  ///< when `peak` was first reached
  // At that moment, peak = torch_reserved + libraries + context + code, to the byte.
  Bytes peak_torch_reserved;
  Bytes peak_libraries;
  Bytes peak_context;
  Bytes peak_code;

  std::optional<Bytes> torch_peak_reserved;  ///< as PyTorch itself reports them (absent: the hooks did not report)
  std::optional<Bytes> torch_peak_allocated;
  std::optional<Bytes> torch_reserved_after_load;
  std::uint64_t alloc_retries = 0;
  std::uint64_t ooms = 0;  ///< OutOfMemoryErrors raised by PyTorch
  std::optional<FailedRequest> first_oom;
  std::optional<FailedRequest> last_oom;
  std::optional<Refusal> last_refusal;
  std::map<std::string, Bytes> libraries;  ///< peak_libraries by file name of the library ("libcublas.so.12")
};

/// Floating-point operations that one operator did for one module in a step.
struct Work {
  std::string op;      ///< "convolution_backward"
  std::string module;  ///< "ResNet.layer1.0.conv1", the innermost that runs; empty: none
  std::uint64_t flops = 0;
};

/// Bytes that one operator read and wrote for one module in a step, each tensor once.
struct Moved {
  std::string op;
  std::string module;
  std::uint64_t bytes = 0;
};

/// What was counted, if counting was requested. Operators without a formula are not in the counts.
struct Compute {
  std::vector<std::uint64_t> steps;                ///< floating-point operations of each completed step
  std::vector<Work> last_step;                     ///< the last of them, in the order in which modules appeared
  std::map<std::string, std::uint64_t> uncounted;  ///< expensive operators without a formula → times
  std::vector<std::uint64_t> traffic;              ///< bytes that each completed step read and wrote; empty: not known
  std::vector<Moved> moved;                        ///< of the last step, in the order in which modules appeared
};

/// What one process of the job did, from its trace.
struct ProcessSummary {
  std::uint32_t pid = 0;
  // Nanoseconds of CLOCK_MONOTONIC; the same for all processes of a machine.
  std::uint64_t began = 0;
  std::uint64_t last_event = 0;
  bool complete = true;  ///< false: the capture was cut off or could not be written to its end
  std::string incomplete_why;
  std::uint64_t steps = 0;  ///< optimizer steps completed
  bool forward_seen = false;
  bool backward_seen = false;
  std::uint64_t last_oom_step = 0;           ///< steps completed when the last OutOfMemoryError was raised
  bool hooks = false;                        ///< the Python hooks were active
  std::map<std::string, std::string> notes;  ///< "software.torch" → "2.6.0+cu124", "stop.reason" → "steps"
  std::vector<DeviceSummary> devices;  ///< only those it used memory on, by ordinal; empty: it never touched a GPU
  std::map<std::string, std::uint64_t> launches;  ///< kernel name → launches
  std::vector<Assumption> assumptions;            ///< one per operation and line, in the order of first occurrence
  std::optional<Compute> compute;                 ///< absent: not requested, or no step was completed
  Diagnostics diagnostics;
};

/// Reads one trace and sums it up. Fails only when the file cannot be read as a trace at all.
Result<ProcessSummary> summarise(const std::filesystem::path& trace);

}  // namespace dryfit::analysis
