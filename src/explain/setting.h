// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/explanation.h"
#include "explain/lives.h"
#include "explain/marks.h"
#include "whatif/recording.h"

namespace dryfit::explain {

/// Places marks between the events of a recording. The place of a mark is the first event after it.
class MarkPlaces {
 public:
  MarkPlaces(const std::vector<snapshot::Entry>& entries, Count end);

  Event place_of(Count count) const;

  /// Whether the history contains everything that was counted since the program's beginning.
  bool from_beginning() const { return forgotten_ == 0; }
  /// False: the history contains more than was counted, so that no place is right.
  bool agree() const { return agree_; }

 private:
  std::vector<Event> counted_;  ///< events that PyTorch's statistics count, in order
  Event events_;
  Count forgotten_ = 0;
  bool agree_ = true;
};

/// A call of a module that no other module has called, with all that happened in it.
struct RootCall {
  Event begin = 0;
  Event end = kNever;
};

/// A backward pass, as far as its span reaches.
struct BackwardPass {
  Event begin = 0;
  MarkName file = 0;
  std::uint32_t line = 0;
  MarkName function = 0;
};

/// What the program was doing when an allocation was made.
struct Setting {
  std::uint32_t span = 0;      ///< index into Program::spans
  MarkName module = 0;         ///< the innermost that runs
  std::uint32_t root = kNone;  ///< index into Program::roots
  bool with_grad = true;       ///< unknown outside of modules
  bool is_autocast_copy = false;
};

/// The course of a program: the content of its marks, in terms of events.
struct Program {
  std::vector<Span> spans;
  std::vector<MarkName> optimizers;  ///< by span: the class of the running optimizer; 0: none
  std::vector<RootCall> roots;
  std::vector<BackwardPass> backwards;
  std::vector<Setting> settings;  ///< by allocation
  MarkName failed_in = 0;         ///< the module that was running at the last OutOfMemoryError

  /// The span at that event, by index.
  std::uint32_t span_at(Event event) const;
  /// The first backward pass that begins after that event, by index; kNone: none.
  std::uint32_t backward_after(Event event) const;
};

/// Note [Autocast copies]. Autocast copies inside operators, where Python has neither a line nor a tensor. But the
/// hooks know which copies a module that is called under autocast may need: of its input, if that has the other
/// precision, and of its parameters, once per call of the whole model. An allocation of exactly such a size, made by
/// that module itself, is that copy; for a copy of the input, only before the module makes anything else.
Program course_of(const Lives& lives, const Marks& marks, const MarkPlaces& places);

}  // namespace dryfit::explain
