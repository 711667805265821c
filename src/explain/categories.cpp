// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/categories.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace dryfit::explain {
namespace {

/// Operators that bring data to the device, or create it there.
constexpr std::array<std::string_view, 9> kBringers{"to",    "tensor", "as_tensor", "from_numpy", "copy_",
                                                    "randn", "rand",   "randint",   "arange"};
/// An allocation that lives for this many steps is not part of a step.
constexpr std::uint32_t kLastingSteps = 2;

Category category_of(Role role) {
  switch (role) {
    case Role::parameter:
      return Category::parameters;
    case Role::buffer:
      return Category::buffers;
    case Role::gradient:
      return Category::gradients;
    case Role::state:
      return Category::optimizer_state;
  }
  return Category::unknown;
}

/// For each allocation: whether it was freed before anything else was allocated or freed, while what was allocated
/// before it stayed.
std::vector<bool> scratch_of(const Lives& lives) {
  std::vector<bool> result(lives.allocations.size());
  std::uint32_t latest = kNone;    // of the allocations that may be an operator's result
  std::uint32_t adjacent = kNone;  // made by the event before this one
  std::uint32_t behind = kNone;    // what `latest` was when that one was made
  for (Event event = 0; event < lives.allocation_of.size(); ++event) {
    const auto index = lives.allocation_of[event];
    if (index == kNone) continue;
    if (lives.allocations[index].died != event) {
      behind = latest;
      latest = adjacent = index;
      continue;
    }
    if (index == adjacent && behind != kNone) {
      result[index] = lives.allocations[behind].died > event && lives.stacks[behind] == lives.stacks[index];
      latest = behind;
    }
    adjacent = kNone;
  }
  return result;
}

class Categories {
 public:
  explicit Categories(const Evidence& evidence) : evidence_(evidence), scratch_(scratch_of(evidence.lives)) {
    const auto& roles = evidence.sightings.roles;
    for (std::uint32_t i = 0; i < roles.size(); ++i) {
      if (roles[i] && roles[i]->role == Role::gradient) gradients_.insert(allocation(i).requested.count);
    }
    find_first_calls();
  }

  Category of(std::uint32_t index) const {
    if (const auto& seen = evidence_.sightings.roles[index]) return category_of(seen->role);
    if (is_workspace(index)) return Category::workspaces;
    if (evidence_.distributed[index]) return Category::communication;
    if (setting(index).is_autocast_copy) return Category::autocast;
    switch (phase(index)) {
      case Phase::backward:
        return in_backward(index);
      case Phase::optimizer:
        return lasts(index) ? Category::unknown : Category::temporaries;
      default:
        return setting(index).root == kNone ? outside_of_modules(index) : in_module(index);
    }
  }

 private:
  const Allocation& allocation(std::uint32_t index) const { return evidence_.lives.allocations[index]; }
  const Setting& setting(std::uint32_t index) const { return evidence_.program.settings[index]; }
  const Span& span(std::uint32_t index) const { return evidence_.program.spans[setting(index).span]; }
  Phase phase(std::uint32_t index) const { return span(index).phase; }

  bool lives_at(std::uint32_t index, Event place) const {
    return allocation(index).born < place && allocation(index).died >= place;
  }

  /// Whether it lives through a whole step to which it does not belong.
  bool lasts(std::uint32_t index) const {
    const auto& spans = evidence_.program.spans;
    const auto died = allocation(index).died;
    const auto step = died == kNever ? spans.back().step : spans[evidence_.program.span_at(died)].step;
    return step >= span(index).step + kLastingSteps;
  }

  bool is_workspace(std::uint32_t index) const {
    const auto& sizes = evidence_.marks.workspaces;
    const auto requested = allocation(index).requested;
    if (phase(index) == Phase::load || phase(index) == Phase::optimizer) return false;
    if (allocation(index).died == kNever && std::ranges::find(sizes, requested) != sizes.end()) return true;
    return scratch_[index] && !(phase(index) == Phase::backward && gradients_.contains(requested.count));
  }

  Category in_backward(std::uint32_t index) const {
    const auto root = setting(index).root;
    if (root != kNone && outlives_call(index)) return Category::activations;
    return lasts(index) ? Category::unknown : Category::temporaries;
  }

  bool outlives_call(std::uint32_t index) const {
    return allocation(index).died >= evidence_.program.roots[setting(index).root].end;
  }

  bool interrupted(std::uint32_t index) const {
    return evidence_.end != kNever && allocation(index).died > evidence_.end;
  }

  Category in_module(std::uint32_t index) const {
    if (lasts(index)) return Category::buffers;
    const auto pass = evidence_.program.backward_after(allocation(index).born);
    if (pass != kNone) {
      return lives_at(index, evidence_.program.backwards[pass].begin) ? Category::activations : Category::temporaries;
    }
    const bool kept = setting(index).with_grad && interrupted(index);
    return kept || outlives_call(index) ? Category::activations : Category::temporaries;
  }

  Category outside_of_modules(std::uint32_t index) const {
    if (is_input(index)) return Category::inputs;
    if (lasts(index)) return Category::unknown;
    const auto pass = evidence_.program.backward_after(allocation(index).born);
    const bool kept = pass == kNone ? interrupted(index) : lives_at(index, evidence_.program.backwards[pass].begin);
    return kept ? Category::activations : Category::temporaries;
  }

  bool is_input(std::uint32_t index) const {
    const auto pass = evidence_.program.backward_after(allocation(index).born);
    const Event backward = pass == kNone ? kNever : evidence_.program.backwards[pass].begin;
    const auto call = next_call(index);
    const Event called = call == kNone ? kNever : evidence_.program.roots[call].begin;
    const Event first = std::min({backward, called, evidence_.end});
    const bool used = first == kNever ? allocation(index).died == kNever : lives_at(index, first);
    if (!used) return false;
    if (std::ranges::find(kBringers, evidence_.operators[index]) != kBringers.end()) return true;
    return first == called && call != kNone && is_first_[call];
  }

  /// The next call of a model after it was made.
  std::uint32_t next_call(std::uint32_t index) const {
    const auto& roots = evidence_.program.roots;
    const auto next = std::ranges::upper_bound(roots, allocation(index).born, {}, &RootCall::begin);
    return next == roots.end() ? kNone : static_cast<std::uint32_t>(next - roots.begin());
  }

  /// The calls of models that are the first since a backward pass or a step.
  void find_first_calls() {
    const auto& program = evidence_.program;
    is_first_.assign(program.roots.size(), false);
    std::uint32_t last = kNone;
    for (std::size_t i = 0; i < program.roots.size(); ++i) {
      auto boundary = program.span_at(program.roots[i].begin);
      while (boundary > 0 && program.spans[boundary].phase != Phase::backward &&
             program.spans[boundary].phase != Phase::optimizer) {
        --boundary;
      }
      is_first_[i] = boundary != last || i == 0;
      last = boundary;
    }
  }

  const Evidence& evidence_;
  std::vector<bool> scratch_;
  std::unordered_set<std::uint64_t> gradients_;  ///< their sizes
  std::vector<bool> is_first_;                   ///< by call of a model
};

}  // namespace

std::vector<Category> categories_of(const Evidence& evidence) {
  const Categories categories(evidence);
  std::vector<Category> result(evidence.lives.allocations.size());
  for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = categories.of(i);
  return result;
}

}  // namespace dryfit::explain
