// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/meaning.h"
#include "estimate/recording.h"

namespace dryfit::estimate {

/// A stretch of a recording.
struct Window {
  std::vector<Span> spans;
  std::vector<MemoryRecord> memory;
};

/// Cuts a recording into stretches that can be analysed one after the other.
///
/// Note [Windows]: we analyse a trace of many steps one step at a time, so that only one step and the live blocks are
/// kept in memory. A window ends where a step of an optimizer has ended and no operator runs on any thread: nothing
/// that is analysed as a whole (an operator with its temporaries, a backward pass, a copy) is cut. The first window
/// continues until a backward pass was seen, because what comes before training is recognised by what training does.
/// Without optimizers, or in a long evaluation, a window ends when it is large. Annotations and modules around the cut
/// are in both windows. A recording that is not in the order of time is sorted first, which reads all of it into
/// memory.
class Windows {
 public:
  /// Steps of common models have about ten thousand spans.
  static constexpr std::size_t kLarge = std::size_t{1} << 18;

  /// `recording` must outlive it and not change.
  explicit Windows(Recording& recording, std::size_t large = kLarge);

  /// False: there are no more.
  bool next(Window& window);
  /// How much of the recording the windows so far cover, from 0 to 1.
  double progress() const;
  /// The recording could not be read to its end.
  bool has_failed() const { return spans_.has_failed() || memory_.has_failed(); }

 private:
  bool may_end(Time time) const;
  void take(Window& window, const Span& span);

  std::vector<Meaning> meanings_;  ///< by name
  std::uint64_t records_;          ///< of both kinds
  Spool<Span>::Reader spans_;
  Spool<MemoryRecord>::Reader memory_;
  std::size_t large_;
  std::vector<Span> around_;  ///< spans that continue in the next window
  Time busy_until_;           ///< something that must not be cut runs until then
  bool seen_backward_ = false;
  bool seen_step_ = false;  ///< in this window
  std::size_t taken_ = 0;   ///< spans that begin in this window
};

}  // namespace dryfit::estimate
