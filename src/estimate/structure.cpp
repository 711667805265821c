// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/structure.h"

#include <algorithm>

#include "estimate/meaning.h"

namespace dryfit::estimate {
namespace {

/// "AdamW" of "Optimizer.step#AdamW.step".
std::string class_of(std::string_view name) {
  name.remove_prefix(kOptimizerStep.size());
  return std::string(name.substr(0, name.find('.')));
}

class Finder {
 public:
  Finder(const Timeline& timeline, const TextTable& names, const Past& past)
      : timeline_(timeline), names_(names), meanings_(meanings_of(names)) {
    found_.past = past;
    if (past.begun) found_.first_forward = 0;
    found_.is_marked = names.find("dryfit::to_device").has_value();
  }

  Structure find() {
    for (std::uint32_t i = 0; i < timeline_.nodes.size(); ++i) look_at(i);
    note_recorded();
    note_loaded();
    std::ranges::sort(found_.optimizer_steps, {},
                      [&](const auto& step) { return timeline_.nodes[step.node].span.start; });
    std::ranges::sort(found_.gradients, {}, [&](auto node) { return timeline_.nodes[node].span.start; });
    find_phases();
    find_stages();
    return std::move(found_);
  }

 private:
  Meaning meaning(std::uint32_t node) const { return meanings_[timeline_.nodes[node].span.name]; }

  void look_at(std::uint32_t index) {
    const auto& node = timeline_.nodes[index];
    switch (meaning(index)) {
      case Meaning::optimizer:
        if (!is_below(index, Meaning::optimizer)) {
          found_.optimizer_steps.push_back({index, class_of(names_[node.span.name])});
        }
        break;
      case Meaning::backward:
        found_.backward_seen = true;
        // Only the engine's own nodes have a sequence number that refers back.
        if (node.span.sequence != Span::kNoSequence) found_.backward[node.span.sequence] = index;
        break;
      case Meaning::to_device:
        if (!is_below(index, Meaning::to_device) && !is_below(index, Meaning::to_host))
          found_.to_device.push_back(index);
        break;
      case Meaning::to_host:
        found_.to_host.push_back(index);
        break;
      case Meaning::loader:
        found_.loaders.push_back(index);
        break;
      case Meaning::gradient:
        found_.gradients.push_back(index);
        break;
      case Meaning::loaded:
        loads_.push_back(node.first_event);
        break;
      case Meaning::zero_grad:
        break;
      case Meaning::nothing:
        if (is_module(index)) {
          note_forward(node.first_event);
        } else if (node.span.sequence != Span::kNoSequence) {
          recorded_[node.span.sequence] = node.first_event;
        }
        break;
    }
  }

  bool is_module(std::uint32_t index) const {
    const auto& span = timeline_.nodes[index].span;
    return span.kind == Span::Kind::module || names_[span.name].starts_with("dryfit::module#");
  }

  void note_forward(std::uint32_t event) {
    found_.forward_seen = true;
    found_.first_forward = std::min(found_.first_forward, event);
  }

  /// An operator with a backward node belongs to a forward pass. An operator that autograd does not record, such as one
  /// of the initialisation, shows the number that the next recorded one will get: the last one with a number counts.
  void note_recorded() {
    for (const auto& [sequence, event] : recorded_) {
      if (found_.backward.contains(sequence)) note_forward(event);
    }
    if (found_.first_forward == kNone) found_.first_forward = 0;
  }

  void note_loaded() {
    std::erase_if(loads_, [&](std::uint32_t event) { return event > found_.first_forward; });
    found_.loaded = loads_.empty() ? found_.first_forward : *std::ranges::max_element(loads_);
  }

  bool is_below(std::uint32_t node, Meaning wanted) const {
    for (node = timeline_.nodes[node].parent; node != kNone; node = timeline_.nodes[node].parent) {
      if (meaning(node) == wanted) return true;
    }
    return false;
  }

  /// A parent comes before its children, which inherit its phase unless they have their own.
  void find_phases() {
    found_.phases.reserve(timeline_.nodes.size());
    for (std::uint32_t i = 0; i < timeline_.nodes.size(); ++i) {
      const auto parent = timeline_.nodes[i].parent;
      found_.phases.push_back(phase_below(i, parent == kNone ? Phase::other : found_.phases[parent]));
    }
  }

  Phase phase_below(std::uint32_t node, Phase above) const {
    switch (meaning(node)) {
      case Meaning::backward:
        return Phase::backward;
      case Meaning::optimizer:
        return Phase::optimizer;
      case Meaning::zero_grad:
      case Meaning::loaded:
      case Meaning::loader:
      case Meaning::to_device:
      case Meaning::to_host:
        return Phase::other;
      default:
        const bool works = timeline_.nodes[node].span.kind != Span::Kind::annotation;
        return above == Phase::other && works ? Phase::forward : above;
    }
  }

  Phase phase_of(std::uint32_t node) const { return node == kNone ? Phase::other : found_.phases[node]; }

  void find_stages() {
    found_.stages.reserve(timeline_.events.size() + 1);
    std::size_t done = 0;
    for (std::uint32_t i = 0; i < timeline_.events.size(); ++i) {
      while (done < found_.optimizer_steps.size() &&
             timeline_.nodes[found_.optimizer_steps[done].node].end_event <= i) {
        ++done;
      }
      Stage stage{.step = found_.past.steps + static_cast<std::uint32_t>(done) + 1,
                  .phase = phase_of(timeline_.events[i].node)};
      if (i < found_.first_forward && stage.phase != Phase::backward && stage.phase != Phase::optimizer) stage = {};
      found_.stages.push_back(stage);
    }
    // The end: of the last step, if there was one.
    found_.stages.push_back(found_.stages.empty() ? Stage{} : found_.stages.back());
  }

  const Timeline& timeline_;
  const TextTable& names_;
  std::vector<Meaning> meanings_;
  std::vector<std::uint32_t> loads_;                          ///< events before which a model came to the card
  std::unordered_map<std::int32_t, std::uint32_t> recorded_;  ///< sequence number → event, of the last such operator
  Structure found_;
};

}  // namespace

Structure find_structure(const Timeline& timeline, const TextTable& names, const Past& past) {
  return Finder(timeline, names, past).find();
}

}  // namespace dryfit::estimate
