// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explain/explain.h"
#include "whatif/testing.h"

/// Runs for tests, written down as they happen.
namespace dryfit::explain::testing {

/// A program on one device: what it allocates and what the hooks mark, in order. Each allocation has a segment of its
/// own, so that its block is as large as requested, rounded up to 2 MiB.
class Story {
 public:
  using Action = snapshot::Action;

  Story() { phase(Phase::load, 0); }

  Story& phase(Phase phase, std::uint32_t step) {
    marks_.phases.push_back({.at = count_, .phase = phase, .step = step});
    return *this;
  }
  Story& enter(const std::string& module, bool autocast = false, Bytes cast = {}, bool with_grad = true) {
    calls_.push_back(name(module));
    marks_.calls.push_back({.at = count_,
                            .module = calls_.back(),
                            .entered = true,
                            .with_grad = with_grad,
                            .with_autocast = autocast,
                            .cast = cast});
    return *this;
  }
  Story& leave() {
    calls_.pop_back();
    marks_.calls.push_back({.at = count_, .module = calls_.empty() ? MarkName{0} : calls_.back()});
    return *this;
  }
  /// In this line of the program, which calls that operator.
  Story& at(const std::string& function, const std::string& op = "") {
    tape_.in(function);
    const auto& frame = tape_.snapshot().frames.back();
    if (!op.empty()) marks_.operators[{frame.filename, static_cast<std::uint32_t>(frame.line)}] = op;
    return *this;
  }
  /// Without a stack, as in the threads of a backward pass.
  Story& nowhere() {
    bare_ = true;
    return *this;
  }
  Story& alloc(const std::string& what, Bytes size) {
    const auto address = next_;
    next_ += std::uint64_t{1} << 32;
    tape_.add(Action::segment_alloc, address, round_up(size, Bytes{2u << 20}));
    tape_.add(Action::alloc, address, size);
    if (bare_) tape_.entries().back().stack = snapshot::kNoStack;
    live_[what] = {address, size};
    ++count_;
    return *this;
  }
  Story& free(const std::string& what) {
    const auto [address, size] = live_.at(what);
    tape_.free(address, size);
    gone_.push_back(what);
    ++count_;
    return *this;
  }
  Story& out_of_memory(Bytes size) {
    tape_.add(Action::oom, 0, size);
    marks_.calls.push_back(
        {.at = count_, .module = calls_.empty() ? MarkName{0} : calls_.back(), .out_of_memory = true});
    return *this;
  }
  Story& snapshot_taken() {
    tape_.add(Action::snapshot, 0, {});
    return *this;
  }
  Story& saw(Role role, const std::string& what, const std::string& module, const std::string& tensor) {
    const auto [address, size] = live_.at(what);
    marks_.seen.push_back({count_, static_cast<std::uint32_t>(marks_.sets.size())});
    marks_.sets.push_back({{role, address, size, name(module), name(tensor), name("float32 [4]")}});
    return *this;
  }
  Story& casts(const std::string& module, std::vector<Bytes> sizes) {
    marks_.casts[name(module)] = std::move(sizes);
    return *this;
  }
  Story& workspace(Bytes size) {
    marks_.workspaces.push_back(size);
    return *this;
  }

  Explanation explained() {
    finish();
    auto result = explain({.snapshot = &tape_.snapshot(), .torch = whatif::testing::kTorch, .marks = &marks_});
    EXPECT_TRUE(result) << (result ? "" : result.error().what);
    return result ? std::move(result).value() : Explanation{};
  }

  /// The allocation with that name; the last one if there are two.
  const Allocation& find(const Explanation& explanation, const std::string& what) const {
    const auto address = live_.at(what).first;
    const auto found = std::ranges::find(explanation.allocations, address, &Allocation::address);
    EXPECT_NE(found, explanation.allocations.end()) << what;
    return *found;
  }
  Category category(const Explanation& explanation, const std::string& what) const {
    return find(explanation, what).category;
  }
  std::string module(const Explanation& explanation, const std::string& what) const {
    return explanation.name(find(explanation, what).module);
  }

  snapshot::Snapshot& snapshot() { return tape_.snapshot(); }
  Marks& marks() { return marks_; }
  void finish() {
    marks_.end = count_;
    tape_.snapshot().segments.clear();
    for (const auto& [what, place] : live_) {
      const bool is_gone = std::ranges::find(gone_, what) != gone_.end();
      tape_.ends_with(place.first, round_up(place.second, Bytes{2u << 20}), is_gone ? Bytes{} : place.second);
    }
    std::ranges::sort(tape_.snapshot().segments, {}, &snapshot::Segment::address);
  }

 private:
  MarkName name(const std::string& text) {
    const auto found = std::ranges::find(marks_.names, text);
    if (found != marks_.names.end()) return static_cast<MarkName>(found - marks_.names.begin());
    marks_.names.push_back(text);
    return static_cast<MarkName>(marks_.names.size() - 1);
  }

  whatif::testing::Tape tape_;
  Marks marks_{.names = {""}};
  Count count_ = 0;
  std::uint64_t next_ = whatif::testing::kA;
  bool bare_ = false;
  std::vector<MarkName> calls_;
  std::map<std::string, std::pair<std::uint64_t, Bytes>> live_;
  std::vector<std::string> gone_;
};

}  // namespace dryfit::explain::testing
