// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "estimate/estimate.h"

/// For tests: traces as torch.profiler writes them, made of a few events. Times are microseconds.
namespace dryfit::estimate::testing {

class TraceText {
 public:
  /// A span of the main thread. `more` goes into its arguments: "\"Sequence number\": 3".
  TraceText& span(const std::string& category, const std::string& name, int start, int duration,
                  const std::string& more = "") {
    return event(R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 1, "tid": 1, "ts": )" +
                 std::to_string(start) + R"(.000, "dur": )" + std::to_string(duration) +
                 R"(.000, "args": {"External id": 1)" + (more.empty() ? "" : ", " + more) + "}}");
  }
  TraceText& op(const std::string& name, int start, int duration, const std::string& more = "") {
    return span("cpu_op", name, start, duration, more);
  }
  TraceText& annotation(const std::string& name, int start, int duration) {
    return span("user_annotation", name, start, duration);
  }
  /// An allocation, or with a negative size a free.
  TraceText& memory(int time, std::uint64_t address, std::int64_t bytes, int device_type = 0) {
    return event(R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": )" +
                 std::to_string(time) + R"(.000, "args": {"Total Allocated": 1, "Bytes": )" + std::to_string(bytes) +
                 R"(, "Addr": )" + std::to_string(address) + R"(, "Device Id": -1, "Device Type": )" +
                 std::to_string(device_type) + "}}");
  }
  TraceText& event(const std::string& json) {
    events_ += (events_.empty() ? "" : ",\n") + json;
    return *this;
  }
  TraceText& key(const std::string& name, const std::string& json) {
    keys_ += "\"" + name + "\": " + json + ",\n";
    return *this;
  }

  std::string text() const { return "{\"schemaVersion\": 1,\n" + keys_ + "\"traceEvents\": [\n" + events_ + "]}\n"; }

 private:
  std::string keys_;
  std::string events_;
};

inline Result<Profile> read(const std::string& text) {
  const auto source = from_memory(text);
  return read_profile(*source, "trace.json");
}

inline Recording recorded(const TraceText& trace) {
  auto profile = read(trace.text());
  DRYFIT_CHECK(profile);
  return Recording(std::move(profile).value());
}

/// The first window, with the names of its profile.
struct Analysed {
  explicit Analysed(const TraceText& trace) : recording(recorded(trace)), first(*Analyzer(recording).next()) {}
  Recording recording;
  Analysis first;
};

inline Card small_card() {
  using namespace literals;
  return {.id = "small-1gb",
          .name = "Small",
          .compute_capability = {8, 6},
          .total_memory = 1_GiB,
          .context_memory = 100_MiB};
}

/// "+512 -512": the sizes that are allocated and freed on a GPU, in order; in windows no larger than `large_window`.
inline std::string calls_of(Recording recording, std::vector<Gap>* gaps = nullptr,
                            simulator::TorchVersion torch = {2, 6, 0}, std::size_t large_window = Windows::kLarge) {
  std::string text;
  std::vector<bool> lives;
  const auto append = [&](const Plan& plan, const std::vector<std::uint32_t>& carried) {
    std::vector<bool> now(plan.sizes.size());
    for (std::size_t i = 0; i < carried.size(); ++i) now[i] = lives[carried[i]];
    lives = std::move(now);
    for (const auto& call : plan.calls) {
      if (lives[call.block] != call.is_free) continue;
      lives[call.block] = !call.is_free;
      text += (text.empty() ? "" : " ") + std::string(call.is_free ? "-" : "+") +
              std::to_string(plan.sizes[call.block].count);
    }
  };
  const auto found = plan_for(recording, small_card(), {.torch = torch}, append, large_window);
  if (gaps) *gaps = found.gaps;
  return text;
}

inline std::string calls_of(const TraceText& trace, std::vector<Gap>* gaps = nullptr,
                            simulator::TorchVersion torch = {2, 6, 0}) {
  return calls_of(recorded(trace), gaps, torch);
}

/// On the small card.
inline Estimate estimated(const TraceText& trace) {
  auto recording = recorded(trace);
  return estimate(recording, {small_card()}, {.torch = {2, 6, 0}}).front();
}

/// Arguments of an operator: {{"float", "[2, 3]"}} or with a value {"ScalarList", "[]", "[1, 1]"}.
struct Argument {
  std::string type, dims, value;
};
inline std::string arguments(const std::vector<Argument>& list) {
  std::string types, dims, values;
  for (const auto& [type, size, value] : list) {
    const auto comma = types.empty() ? "" : ", ";
    types += comma + ("\"" + type + "\"");
    dims += comma + size;
    values += comma + ("\"" + value + "\"");
  }
  return "\"Input type\": [" + types + "], \"Input Dims\": [" + dims + "], \"Concrete Inputs\": [" + values + "]";
}

}  // namespace dryfit::estimate::testing
