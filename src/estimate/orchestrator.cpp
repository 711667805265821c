// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/orchestrator.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "estimate/element_size.h"

namespace dryfit::estimate {
namespace {

/// Numbers that Python passes to operators are briefly tensors on the host.
constexpr Bytes kLargestScalar{16};

class Orchestrator {
 public:
  explicit Orchestrator(Context& context)
      : context_(context), timeline_(context.timeline), structure_(context.structure), script_(context.script) {}

  void run() {
    const bool is_first = !structure_.past.begun;
    if (is_first) find_model();
    drop_host_blocks();
    if (!structure_.is_marked) copy_batches();
    drop_scalars();
    if (is_first) load_model();
  }

 private:
  const Profile& profile() const { return context_.profile; }
  void gap(std::string name, std::string text) { context_.gaps.push_back({std::move(name), std::move(text)}); }

  bool lives_within(const Block& block, std::uint32_t first, std::uint32_t end) const {
    return block.alloc_event >= first && block.free_event < end;
  }

  // ---- the model

  void find_model() {
    const auto& metadata = profile().metadata;
    if (!metadata.parameters.empty()) {
      for (const auto& each : metadata.parameters) {
        if (each.bytes.count == 0) continue;
        context_.model.parameters.push_back(each.bytes);
        if (each.requires_grad) context_.model.trained.push_back(each.bytes);
      }
      for (const auto& each : metadata.buffers) {
        if (each.bytes.count > 0) context_.model.buffers.push_back(each.bytes);
      }
      context_.model.in_trace = metadata.loaded_in_trace;
      return;
    }
    infer_model();
  }

  /// In the first backward pass, each trained parameter gets a gradient of its own size, the last one first.
  void infer_model() {
    auto& model = context_.model;
    const auto end = structure_.optimizer_steps.empty()
                         ? std::numeric_limits<Time>::max()
                         : timeline_.nodes[structure_.optimizer_steps.front().node].span.start;
    for (const auto node : structure_.gradients) {
      if (timeline_.nodes[node].span.start > end) break;
      if (const auto size = gradient_size(node)) model.trained.push_back(*size);
    }
    std::ranges::reverse(model.trained);
    model.parameters = model.trained;
    if (!profile().has_shapes) {
      gap("shapes", "it was recorded without record_shapes=True; parameters and kernels' scratch memory are unknown");
    }
    if (blocks_of_model_are_here()) {
      model.in_trace = true;
      return;
    }
    gap("parameters", "parameters are inferred from their gradients; frozen parameters and buffers are not counted");
  }

  std::optional<Bytes> gradient_size(std::uint32_t node) const {
    const auto inputs = parse_inputs(profile().inputs[timeline_.nodes[node].span.inputs]);
    if (inputs.empty()) return std::nullopt;
    return tensor_size(inputs.front());
  }

  /// Whether blocks of the parameters' sizes were allocated before training began and stayed alive.
  bool blocks_of_model_are_here() const {
    if (context_.model.trained.empty()) return false;
    std::unordered_map<std::uint64_t, std::int64_t> wanted;
    for (const auto size : context_.model.trained) ++wanted[size.count];
    std::size_t met = 0;
    for (const auto& block : timeline_.blocks) {
      if (block.alloc_event >= structure_.first_forward) break;
      if (block.free_event != kNone) continue;
      const auto found = wanted.find(block.size.count);
      if (found == wanted.end() || found->second == 0) continue;
      --found->second;
      ++met;
    }
    return met * 10 >= context_.model.trained.size() * 9;
  }

  /// Before everything else, as Module.to() does it.
  void load_model() {
    if (context_.model.in_trace) return script_.loaded_at(structure_.loaded);
    for (const auto size : context_.model.parameters) script_.add(size, 0);
    for (const auto size : context_.model.buffers) script_.add(size, 0);
    script_.loaded_at(0);
  }

  // ---- what stays on the host

  void drop_host_blocks() {
    const auto begin = structure_.is_marked ? begin_on_card() : structure_.first_forward;
    for (auto i = timeline_.first_new(); i < timeline_.blocks.size(); ++i) {
      const auto& block = timeline_.blocks[i];
      if (block.alloc_event >= begin) break;
      // Without marks, whatever was allocated before training and stayed is the model, which is moved to the GPU.
      if (structure_.is_marked || block.free_event < begin) script_.drop(i);
    }
    for (const auto node : structure_.to_host) drop_allocated_in(node);
    for (const auto node : structure_.to_device) drop_temporaries_of(node);
    if (structure_.is_marked) {
      for (const auto node : structure_.loaders) drop_allocated_in(node);
    }
  }

  /// The event of the first copy to the GPU.
  std::uint32_t begin_on_card() const {
    if (structure_.past.on_card) return 0;
    return structure_.to_device.empty() ? static_cast<std::uint32_t>(timeline_.events.size())
                                        : timeline_.nodes[structure_.to_device.front()].first_event;
  }

  template <class Action>
  void for_allocations_in(std::uint32_t node, Action action) {
    const auto& [span, parent, end_node, first, end] = timeline_.nodes[node];
    for (auto i = first; i < end && i < timeline_.events.size(); ++i) {
      const auto& event = timeline_.events[i];
      if (!event.is_free && timeline_.is_within(event.node, node)) action(event.block);
    }
  }

  void drop_allocated_in(std::uint32_t node) {
    for_allocations_in(node, [&](std::uint32_t block) { script_.drop(block); });
  }

  void drop_temporaries_of(std::uint32_t node) {
    for_allocations_in(node, [&](std::uint32_t block) {
      if (timeline_.blocks[block].free_event < timeline_.nodes[node].end_event) script_.drop(block);
    });
  }

  /// What a loader creates and hands out is copied to the GPU then; the copy dies with the original. By then the loop
  /// has released the previous batch: the copy is made at the next allocation.
  void copy_batches() {
    for (const auto node : structure_.loaders) {
      const auto end = timeline_.nodes[node].end_event;
      const auto place = next_allocation(end);
      for_allocations_in(node, [&](std::uint32_t block) {
        if (timeline_.blocks[block].free_event < place) return script_.drop(block);
        script_.alloc_at(block, place);
      });
    }
  }

  std::uint32_t next_allocation(std::uint32_t place) const {
    while (place < timeline_.events.size() && timeline_.events[place].is_free) ++place;
    return place;
  }

  /// Blocks that live within one operator, or outside all operators until the next one ends.
  void drop_scalars() {
    for (auto i = timeline_.first_new(); i < timeline_.blocks.size(); ++i) {
      const auto& block = timeline_.blocks[i];
      if (block.size > kLargestScalar || block.free_event == kNone) continue;
      const auto root = outermost_operator(timeline_.events[block.alloc_event].node);
      if (root == kNone || block.free_event < timeline_.nodes[root].end_event) script_.drop(i);
    }
  }

  /// Annotations do not count; kNone: it happened in no operator.
  std::uint32_t outermost_operator(std::uint32_t node) const {
    auto found = kNone;
    for (; node != kNone; node = timeline_.nodes[node].parent) {
      const auto& span = timeline_.nodes[node].span;
      if (span.kind == Span::Kind::op && !profile().names[span.name].starts_with("dryfit::")) found = node;
    }
    return found;
  }

  Context& context_;
  const Timeline& timeline_;
  const Structure& structure_;
  Script& script_;
};

}  // namespace

void orchestrate(Context& context) { Orchestrator(context).run(); }

}  // namespace dryfit::estimate
