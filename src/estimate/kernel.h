// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "estimate/orchestrator.h"

namespace dryfit::estimate {

/// An operator of the timeline with its inputs and the blocks it allocates, as far as the GPU has them. Rules of the
/// Lowering read it and rewrite what it does.
class Kernel {
 public:
  Kernel(Context& context, std::uint32_t node);

  const Inputs& inputs() const { return inputs_; }
  /// The tensor that is input number `index`; null: there is none, or it is not a tensor.
  const Input* tensor(std::size_t index) const;
  /// A list of numbers or a number: "[1, 1]" is {1, 1}. Empty: not recorded.
  std::vector<std::int64_t> numbers(std::size_t index) const;

  std::uint32_t node() const { return node_; }
  bool in_backward() const { return context_.structure.phases[node_] == Phase::backward; }

  /// Blocks that outlive it, in the order in which they were allocated.
  const std::vector<std::uint32_t>& outputs() const { return outputs_; }
  /// Blocks that it frees itself.
  const std::vector<std::uint32_t>& temporaries() const { return temporaries_; }
  Bytes size_of(std::uint32_t block) const { return context_.script.size_of(block); }

  /// The GPU has none of the temporaries.
  void drop_temporaries();
  /// The GPU has none of them except copies that make its inputs contiguous (aten::contiguous).
  void drop_temporaries_but_copies();

  // What the GPU does in their place, one after another, from the beginning of the operator on.
  void alloc(std::uint32_t output) { context_.script.alloc_at(output, place_); }
  std::uint32_t alloc(Bytes size) { return context_.script.add(size, place_); }
  void free(std::uint32_t block) { context_.script.free_at(block, place_); }
  /// Scratch memory of one kernel; none for 0 bytes.
  void scratch(Bytes size) {
    if (size.count > 0) context_.script.add_temporary(size, place_);
  }
  /// A workspace of cuDNN: if it does not fit, PyTorch catches the error and takes the next plan, with a smaller one.
  void workspace(Bytes size) {
    if (size.count > 0) context_.script.add_optional(size, place_);
  }
  /// What follows happens after the operator's own events.
  void go_to_end() { place_ = context_.timeline.nodes[node_].end_event; }

  Context& context() { return context_; }

 private:
  Context& context_;
  std::uint32_t node_;
  std::uint32_t place_;
  Inputs inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<std::uint32_t> temporaries_;
};

}  // namespace dryfit::estimate
