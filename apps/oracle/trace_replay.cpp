// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace_replay.h"

#include <unordered_map>

#include "simulator/caching_allocator.h"

namespace dryfit::oracle {
namespace {

using simulator::Allocation;
using simulator::BlockId;
using simulator::CachingAllocator;
using simulator::StreamId;

/// The oracle numbers its streams; this is the distance between their handles.
constexpr std::uint64_t kStreamHandles = 0x1000;

struct Answer {
  std::string status;
  std::string address;
};

class TraceReplay {
 public:
  TraceReplay(const OracleTrace& trace, const simulator::AllocConfig& config, simulator::TorchVersion version)
      : trace_(trace),
        version_(version),
        allocator_({.version = version, .config = config, .device = {.total = trace.total, .context = trace.context}}) {
    if (trace.fraction) allocator_.set_memory_fraction(*trace.fraction);
  }

  Comparison run() {
    for (const TraceLine& line : trace_.operations) {
      const Answer answer = perform(line);
      compare(line, answer);
      comparison_.count_operation();
    }
    return comparison_;
  }

 private:
  Answer perform(const TraceLine& line) {
    switch (line.op) {
      case TraceLine::Op::kMalloc:
        return malloc(line);
      case TraceLine::Op::kFree:
        return free(line.id);
      case TraceLine::Op::kRecordStream:
        return record_stream(line);
      case TraceLine::Op::kHold:
        allocator_.hold(stream_of(line));
        break;
      case TraceLine::Op::kDone:
        allocator_.done(stream_of(line));
        break;
      case TraceLine::Op::kEmptyCache:
        allocator_.empty_cache();
        break;
      case TraceLine::Op::kSetFraction:
        allocator_.set_memory_fraction(line.fraction);
        break;
      case TraceLine::Op::kResetPeak:
        allocator_.reset_peak_statistics();
        break;
      case TraceLine::Op::kStat:
        break;
    }
    return {"ok", "-1"};
  }

  static StreamId stream_of(const TraceLine& line) { return {line.stream * kStreamHandles}; }

  Answer malloc(const TraceLine& line) {
    const Allocation allocation = allocator_.malloc(line.size, stream_of(line));
    if (!allocation) return {allocation.outcome == simulator::Outcome::kNothing ? "ok" : "OOM", "-1"};
    live_[line.id] = allocation.block;
    return {"ok", std::to_string(allocation.address / 512)};
  }

  Answer free(std::uint64_t id) {
    const auto found = live_.find(id);
    if (found == live_.end()) return {"-", "-1"};
    allocator_.free(found->second);
    live_.erase(found);
    return {"ok", "-1"};
  }

  Answer record_stream(const TraceLine& line) {
    const auto found = live_.find(line.id);
    if (found == live_.end()) return {"-", "-1"};
    allocator_.record_stream(found->second, stream_of(line));
    return {"ok", "-1"};
  }

  /// The value of a column; none for an unknown column.
  std::optional<std::string> value_of(std::string_view column, const Answer& answer) const {
    const simulator::Statistics& stats = allocator_.statistics();
    const std::pair<std::string_view, std::uint64_t> numbers[] = {
        {"allocated", stats.all.allocated_bytes.current()},
        {"reserved", stats.all.reserved_bytes.current()},
        {"active", stats.all.active_bytes.current()},
        {"requested", stats.all.requested_bytes.current()},
        {"inactive_split", stats.all.inactive_split_bytes.current()},
        {"segments", stats.all.segment.current()},
        {"retries", stats.num_alloc_retries},
        {"ooms", stats.num_ooms},
        {"cudaMallocs", allocator_.device().alloc_calls()},
        {"cudaFrees", allocator_.device().free_calls()},
    };
    if (column == "status") return answer.status;
    if (column == "addr512") return answer.address;
    for (const auto& [name, number] : numbers) {
      if (name == column) return std::to_string(number);
    }
    return std::nullopt;
  }

  void compare(const TraceLine& line, const Answer& answer) {
    for (std::size_t i = 0; i < trace_.columns.size(); ++i) {
      // PyTorch 1.13 does not count requested bytes.
      if (trace_.columns[i] == "requested" && !version_.at_least(2, 0)) continue;
      const auto got = value_of(trace_.columns[i], answer);
      const std::string expected(i < line.answer.size() ? line.answer[i] : "nothing");
      if (got == expected) continue;
      comparison_.add({line.line, std::string(trace_.columns[i]), expected, got.value_or("no such column")});
    }
  }

  const OracleTrace& trace_;
  simulator::TorchVersion version_;
  CachingAllocator allocator_;
  std::unordered_map<std::uint64_t, BlockId> live_;
  Comparison comparison_;
};

}  // namespace

Result<Comparison> replay_trace(const OracleTrace& trace, simulator::TorchVersion version) {
  const auto config = simulator::parse_alloc_config(trace.conf, version);
  if (!config) return config.error();
  return TraceReplay(trace, *config, version).run();
}

}  // namespace dryfit::oracle
