// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "explain/categories.h"
#include "explain/lives.h"
#include "explain/owners.h"
#include "explain/setting.h"
#include "whatif/recording.h"

namespace dryfit::explain {
namespace {

using snapshot::Action;

bool is_distributed(std::string_view file) {
  return file.find("/torch/distributed/") != std::string_view::npos ||
         file.ends_with("/torch/nn/parallel/distributed.py");
}

/// Whether the program caused it, and not the allocator by itself.
bool is_asked_for(Action action) {
  return action == Action::alloc || action == Action::free_requested || action == Action::oom;
}

/// Builds the explanation of one source.
class Explainer {
 public:
  Explainer(const Source& source, const whatif::Recording& recording)
      : source_(source),
        recording_(recording),
        lives_(lives_of(recording)),
        names_(result_.names),
        lines_(*source.snapshot, names_, result_) {}

  Explanation explain() {
    result_.device = source_.device;
    result_.from_beginning = recording_.start.empty();
    result_.diagnostics.merge(recording_.diagnostics);
    result_.diagnostics.merge(lives_.diagnostics);
    result_.allocations = lives_.allocations;
    result_.reserved = lives_.reserved;
    result_.peak_reserved = lives_.peak_reserved;
    result_.spans = {{}};
    take_times();
    take_process();
    for (std::size_t i = 0; i < result_.allocations.size(); ++i) {
      result_.allocations[i].stack = lines_.stack(lives_.stacks[i]);
    }
    use_marks();
    find_peak();
    return std::move(result_);
  }

 private:
  void take_times() {
    const auto& entries = recording_.entries();
    const auto begin = entries.empty() ? 0 : entries.front().time_us;
    for (const auto& entry : entries) result_.times_us.push_back(entry.time_us - begin);
  }

  void take_process() {
    if (!source_.process) return;
    result_.pid = source_.process->pid;
    const auto torch = source_.process->notes.find("software.torch");
    if (torch != source_.process->notes.end()) result_.torch = torch->second;
    for (const auto& device : source_.process->devices) {
      if (static_cast<int>(device.ordinal) != source_.device) continue;
      result_.card = device.card;
      result_.outside = Outside{device.peak_context, device.peak_libraries, device.peak_code};
    }
  }

  /// Without marks, or with marks of another run, only lines are known.
  void use_marks() {
    static const Marks kNoMarks{.names = {""}};
    const MarkPlaces places(recording_.entries(), source_.marks ? source_.marks->end : 0);
    if (source_.marks && !places.agree()) result_.diagnostics.add("explain.marks_disagree");
    result_.has_marks = source_.marks && places.agree();
    const Marks& marks = result_.has_marks ? *source_.marks : kNoMarks;
    const auto program = course_of(lives_, marks, places);
    take_spans(program);
    find_failure(program, marks);
    name_operators(marks);
    const auto sightings = sightings_of(lives_, marks, places);
    const Evidence evidence{.lives = lives_,
                            .marks = marks,
                            .program = program,
                            .sightings = sightings,
                            .operators = operators_,
                            .distributed = distributed_,
                            .end = result_.failure ? result_.failure->event : kNever};
    if (result_.has_marks) assign_categories(evidence);
    for (std::size_t i = 0; i < result_.allocations.size(); ++i) {
      const auto& span = program.spans[program.settings[i].span];
      result_.allocations[i].step = span.step;
      result_.allocations[i].phase = span.phase;
    }
    assign_owners(evidence, lines_, names_, result_);
  }

  /// One step begins where another ends, also at the end of the run: spans in which nothing happened are left out.
  void take_spans(const Program& program) {
    const auto& entries = recording_.entries();
    auto end = entries.size();
    while (end > 0 && !is_asked_for(entries[end - 1].action)) --end;
    result_.spans = program.spans;
    while (result_.spans.size() > 1 && result_.spans.back().begin >= end) result_.spans.pop_back();
  }

  void assign_categories(const Evidence& evidence) {
    const auto categories = categories_of(evidence);
    for (std::size_t i = 0; i < categories.size(); ++i) result_.allocations[i].category = categories[i];
  }

  /// For each allocation, what its innermost line calls, and whether that belongs to torch.distributed.
  void name_operators(const Marks& marks) {
    for (const auto& allocation : result_.allocations) {
      std::string_view op;
      bool distributed = false;
      if (allocation.stack != kNone) {
        const auto& line = result_.lines[result_.stacks[allocation.stack].front()];
        const auto& name = result_.names[line.file];
        distributed = is_distributed(name);
        const auto found = marks.operators.find({name, line.line});
        if (found != marks.operators.end()) op = found->second;
      }
      operators_.push_back(op);
      distributed_.push_back(distributed);
    }
  }

  /// The last request that failed, unless the program continued: completed a step, or (without marks) allocated more.
  void find_failure(const Program& program, const Marks& marks) {
    const auto& entries = recording_.entries();
    for (auto event = static_cast<Event>(entries.size()); event-- > 0;) {
      if (entries[event].action == Action::alloc && !result_.has_marks) return;
      if (entries[event].action != Action::oom) continue;
      if (program.spans.back().step > program.spans[program.span_at(event)].step) return;
      const auto stack = lines_.stack(entries[event].stack);
      result_.failure = Failure{.event = event,
                                .requested = entries[event].size,
                                .module = names_.id(marks.names[program.failed_in]),
                                .line = lines_.user_line(stack),
                                .stack = stack};
      return;
    }
  }

  void find_peak() {
    auto& peak = result_.peak;
    peak.event = result_.failure ? result_.failure->event : lives_.peak;
    const auto next = std::ranges::upper_bound(result_.spans, peak.event, {}, &Span::begin);
    peak.step = std::prev(next)->step;
    peak.phase = std::prev(next)->phase;
    for (const auto& each : result_.reserved) {
      if (each.begin <= peak.event) peak.reserved = each.bytes;
    }
    for (const auto& allocation : result_.allocations) {
      if (allocation.born > peak.event || allocation.died <= peak.event) continue;
      peak.allocated += allocation.bytes;
      peak.categories[static_cast<std::size_t>(allocation.category)] += allocation.bytes;
    }
    DRYFIT_CHECK(result_.failure || peak.allocated == lives_.peak_allocated);
    peak.cached = peak.reserved - std::min(peak.reserved, peak.allocated);
    peak.segments = segments_at(recording_, lives_, peak.event);
  }

  const Source& source_;
  const whatif::Recording& recording_;
  Lives lives_;
  Explanation result_;
  Names names_;
  Lines lines_;
  std::vector<std::string_view> operators_;
  std::vector<bool> distributed_;
};

}  // namespace

Result<Explanation> explain(const Source& source) {
  const auto recording = whatif::prepare(*source.snapshot, source.device, source.torch);
  if (!recording) return recording.error();
  return Explainer(source, *recording).explain();
}

}  // namespace dryfit::explain
