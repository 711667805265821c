// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dryfit::report {
namespace {

using explain::Allocation;
using explain::By;
using explain::Category;
using explain::Event;
using explain::Explanation;
using explain::kNever;
using explain::kNone;

constexpr int kProcess = 1;  ///< of the trace: the one that is explained
constexpr int kSteps = 1, kPhases = 2;

/// A text as JSON has it, with its quotes; what is not UTF-8 is repaired.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes trace events one by one.
class ChromeTrace {
 public:
  explicit ChromeTrace(const Explanation& explanation) : explanation_(explanation) {
    text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    name("process_name", 0, fmt::format("GPU memory of process {}", explanation.pid));
    name("thread_name", kSteps, "steps");
    name("thread_name", kPhases, "phases");
  }

  void slices() {
    const auto& spans = explanation_.spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto end = i + 1 < spans.size() ? time_of(spans[i + 1].begin) : end_time();
      slice(kPhases, std::string(to_text(spans[i].phase)), time_of(spans[i].begin), end);
      std::size_t last = i;
      if (i > 0 && spans[i - 1].step == spans[i].step) continue;
      while (last + 1 < spans.size() && spans[last + 1].step == spans[i].step) ++last;
      const auto step_end = last + 1 < spans.size() ? time_of(spans[last + 1].begin) : end_time();
      const auto title = spans[i].step == 0 ? "loading" : fmt::format("step {}", spans[i].step);
      slice(kSteps, title, time_of(spans[i].begin), step_end);
    }
  }

  void counters() {
    std::vector<std::pair<Event, std::uint32_t>> ends;
    for (std::uint32_t i = 0; i < explanation_.allocations.size(); ++i) {
      const auto& allocation = explanation_.allocations[i];
      ends.emplace_back(allocation.born, i);
      if (allocation.died != kNever) ends.emplace_back(allocation.died, i);
    }
    std::ranges::stable_sort(ends, {}, &std::pair<Event, std::uint32_t>::first);
    std::array<std::uint64_t, explain::kCategories> held{};
    for (const auto& [event, index] : ends) {
      const auto& allocation = explanation_.allocations[index];
      auto& bytes = held[static_cast<std::size_t>(allocation.category)];
      allocation.died == event ? bytes -= allocation.bytes.count : bytes += allocation.bytes.count;
      counter(std::string(to_words(allocation.category)), event, bytes);
    }
    for (const auto& [begin, bytes] : explanation_.reserved) counter("reserved by PyTorch", begin, bytes.count);
  }

  void peak() {
    const auto& moment = explanation_.peak;
    line(fmt::format(R"({{"ph":"i","s":"p","name":"{}","pid":{},"tid":{},"ts":{},"args":{{"allocated":{}}}}})",
                     explanation_.failure ? "out of memory" : "peak", kProcess, kPhases, time_of(moment.event),
                     moment.allocated.count));
  }

  std::string finish() && { return std::move(text_) + "\n]}\n"; }

 private:
  std::int64_t time_of(Event event) const {
    if (explanation_.times_us.empty()) return 0;
    return explanation_.times_us[std::min<std::size_t>(event, explanation_.times_us.size() - 1)];
  }
  std::int64_t end_time() const { return explanation_.times_us.empty() ? 0 : explanation_.times_us.back(); }

  void line(const std::string& event) {
    if (!first_) text_ += ",\n";
    first_ = false;
    text_ += event;
  }

  void name(const char* what, int thread, const std::string& name) {
    line(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what, kProcess, thread,
                     quoted(name)));
  }

  void slice(int thread, const std::string& name, std::int64_t begin, std::int64_t end) {
    line(fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{}}})", name, kProcess, thread, begin,
                     end - begin));
  }

  void counter(const std::string& name, Event event, std::uint64_t bytes) {
    line(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"bytes":{}}}}})", name, kProcess,
                     time_of(event), bytes));
  }

  const Explanation& explanation_;
  std::string text_;
  bool first_ = true;
};

/// With quotes where it needs them.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string csv_place(const Explanation& explanation, explain::LineId line) {
  if (line == kNone) return ",,";
  const auto& [file, number, function, is_library] = explanation.lines[line];
  return fmt::format("{},{},{}", csv_cell(explanation.name(file)), number, csv_cell(explanation.name(function)));
}

/// Semicolons and line ends mean something in folded stacks.
std::string frame_text(std::string text) {
  std::ranges::replace(text, ';', ',');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string folded_module(const Explanation& explanation, const Allocation& allocation) {
  auto path = frame_text(explanation.name(allocation.module));
  if (path.empty()) path = "(no module)";
  std::ranges::replace(path, '.', ';');
  return path + ";" + std::string(to_words(allocation.category));
}

std::string folded_lines(const Explanation& explanation, const Allocation& allocation) {
  std::string path;
  if (allocation.stack != kNone) {
    const auto& lines = explanation.stacks[allocation.stack];
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      path += frame_text(line_text(explanation, *line)) + ";";
    }
  } else {
    path = allocation.line == kNone ? "(no line);" : frame_text(line_text(explanation, allocation.line)) + ";";
  }
  return path + std::string(to_words(allocation.category));
}

/// Stacks of a snapshot with one frame more.
class Annotations {
 public:
  explicit Annotations(snapshot::Snapshot& into) : into_(into) {}

  snapshot::StackId stack_for(snapshot::StackId stack, const Explanation& explanation, const Allocation& allocation) {
    const auto frame = frame_for(explanation, allocation);
    const auto [found, is_new] = stacks_.try_emplace({frame, stack}, 0);
    if (is_new) {
      std::vector<std::uint32_t> frames{frame};
      if (stack < into_.stacks.size()) {
        frames.insert(frames.end(), into_.stacks[stack].begin(), into_.stacks[stack].end());
      }
      found->second = static_cast<snapshot::StackId>(into_.stacks.size());
      into_.stacks.push_back(std::move(frames));
    }
    return found->second;
  }

 private:
  std::uint32_t frame_for(const Explanation& explanation, const Allocation& allocation) {
    const auto [found, is_new] = frames_.try_emplace({allocation.category, allocation.module}, 0);
    if (is_new) {
      found->second = static_cast<std::uint32_t>(into_.frames.size());
      into_.frames.push_back({std::string(to_words(allocation.category)), explanation.name(allocation.module), 0});
    }
    return found->second;
  }

  snapshot::Snapshot& into_;
  std::map<std::pair<Category, explain::NameId>, std::uint32_t> frames_;
  std::map<std::pair<std::uint32_t, snapshot::StackId>, snapshot::StackId> stacks_;
};

}  // namespace

std::string to_chrome_trace(const Explanation& explanation) {
  ChromeTrace trace(explanation);
  trace.slices();
  trace.counters();
  trace.peak();
  return std::move(trace).finish();
}

std::string to_csv(const Explanation& explanation) {
  std::string text =
      "born_event,died_event,born_us,died_us,bytes,requested_bytes,category,module,tensor,type,operator,step,phase,"
      "at_peak,inferred,file,line,function\n";
  const auto time = [&](Event event) {
    return event < explanation.times_us.size() ? std::to_string(explanation.times_us[event]) : std::string();
  };
  for (const auto& each : explanation.allocations) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", each.born,
                        each.died == kNever ? "" : std::to_string(each.died), time(each.born), time(each.died),
                        each.bytes.count, each.requested.count, to_text(each.category),
                        csv_cell(explanation.name(each.module)), csv_cell(explanation.name(each.tensor)),
                        csv_cell(explanation.name(each.type)), csv_cell(explanation.name(each.op)), each.step,
                        to_text(each.phase), at_peak(explanation, each) ? 1 : 0, each.is_inferred ? 1 : 0,
                        csv_place(explanation, each.line));
  }
  return text;
}

std::string to_folded(const Explanation& explanation, By by) {
  std::map<std::string, std::uint64_t> stacks;
  for (const auto& each : explanation.allocations) {
    if (!at_peak(explanation, each)) continue;
    const auto path = by == By::module ? folded_module(explanation, each) : folded_lines(explanation, each);
    stacks[path] += each.bytes.count;
  }
  std::string text;
  for (const auto& [path, bytes] : stacks) text += fmt::format("{} {}\n", path, bytes);
  return text;
}

snapshot::Snapshot annotated(const snapshot::Snapshot& source, const Explanation& explanation) {
  auto result = source;
  Annotations annotations(result);
  std::unordered_map<std::uint64_t, const Allocation*> living;  // at the end, by address
  auto& trace = result.device_traces[static_cast<std::size_t>(explanation.device)];
  for (const auto& each : explanation.allocations) {
    if (each.died == kNever) living[each.address] = &each;
    auto& entry = trace[each.born];
    const bool is_its_entry = entry.action == snapshot::Action::alloc && entry.address == each.address;
    if (is_its_entry) entry.stack = annotations.stack_for(entry.stack, explanation, each);
  }
  for (auto& segment : result.segments) {
    if (segment.device != explanation.device) continue;
    for (auto& block : segment.blocks) {
      const auto found = living.find(block.address);
      if (found == living.end() || block.state == snapshot::BlockState::inactive) continue;
      block.stack = annotations.stack_for(block.stack, explanation, *found->second);
    }
  }
  return result;
}

}  // namespace dryfit::report
