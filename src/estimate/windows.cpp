// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/windows.h"

#include <algorithm>
#include <limits>

namespace dryfit::estimate {
namespace {

template <class T, class Projection>
void sort(Spool<T>& spool, Projection projection) {
  auto all = spool.take();
  std::ranges::stable_sort(all, {}, projection);
  for (const auto& each : all) spool.push_back(each);
}

Recording& in_order(Recording& recording) {
  if (!recording.is_in_order()) {
    sort(recording.spans(), &Span::start);
    sort(recording.memory(), &MemoryRecord::time);
  }
  return recording;
}

}  // namespace

Windows::Windows(Recording& recording, std::size_t large)
    : meanings_(meanings_of(recording.profile().names)),
      records_(recording.spans().size() + recording.memory().size()),
      spans_(in_order(recording).spans()),
      memory_(recording.memory()),
      large_(large),
      busy_until_(std::numeric_limits<Time>::min()) {}

bool Windows::next(Window& window) {
  window.spans = std::move(around_);
  window.memory.clear();
  around_.clear();
  seen_step_ = false;
  taken_ = 0;
  if (!spans_.peek() && !memory_.peek()) return false;
  const auto* span = spans_.peek();
  for (; span && !may_end(span->start); span = spans_.peek()) {
    take(window, *span);
    spans_.pop();
  }
  const auto end = span ? span->start : std::numeric_limits<Time>::max();
  for (const auto* record = memory_.peek(); record && (!span || record->time < end); record = memory_.peek()) {
    window.memory.push_back(*record);
    memory_.pop();
  }
  std::ranges::copy_if(window.spans, std::back_inserter(around_), [&](const Span& each) { return each.end > end; });
  return true;
}

double Windows::progress() const {
  return records_ == 0 ? 1 : static_cast<double>(spans_.taken() + memory_.taken()) / static_cast<double>(records_);
}

bool Windows::may_end(Time time) const {
  return time >= busy_until_ && seen_backward_ && (seen_step_ || taken_ >= large_);
}

void Windows::take(Window& window, const Span& span) {
  window.spans.push_back(span);
  ++taken_;
  const auto meaning = meanings_[span.name];
  seen_backward_ = seen_backward_ || meaning == Meaning::backward;
  seen_step_ = seen_step_ || meaning == Meaning::optimizer;
  if (span.kind == Span::Kind::op || meaning != Meaning::nothing) busy_until_ = std::max(busy_until_, span.end);
}

}  // namespace dryfit::estimate
