// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

/// What an optimizer step on lists of tensors allocates (torch.optim, `_multi_tensor_…`): whole copies of what is
/// trained, which live until the step ends, and state that it creates the first time.
struct Lists {
  std::string_view class_name;
  int state = 0;   ///< tensors per parameter, made in the first step
  int copies = 0;  ///< alive together
  int copies_with_decay = 0;
  bool state_at_birth = false;  ///< the state is made with the optimizer, not in its first step
};

constexpr Lists kLists[] = {
    {.class_name = "SGD", .state = 0, .copies = 0, .copies_with_decay = 1},
    {.class_name = "Adam", .state = 2, .copies = 1, .copies_with_decay = 1},
    {.class_name = "AdamW", .state = 2, .copies = 1, .copies_with_decay = 1},
    {.class_name = "NAdam", .state = 2, .copies = 1, .copies_with_decay = 1},
    {.class_name = "RMSprop", .state = 1, .copies = 1, .copies_with_decay = 2},
    {.class_name = "Adagrad", .state = 1, .copies = 2, .copies_with_decay = 2, .state_at_birth = true},
    {.class_name = "Adadelta", .state = 2, .copies = 2, .copies_with_decay = 3},
};

class OptimizerLowering {
 public:
  explicit OptimizerLowering(Context& context) : context_(context), timeline_(context.timeline) {}

  void run() {
    for (std::size_t i = 0; i < context_.structure.optimizer_steps.size(); ++i) lower(i);
  }

 private:
  void lower(std::size_t index) {
    const auto& step = context_.structure.optimizer_steps[index];
    Kernel kernel(context_, step.node);
    drop_counters(kernel);
    const auto* facts = facts_of(step.class_name);
    if (context_.profile.metadata.ran_foreach || uses_lists(step.node) ||
        (facts && (facts->fused.value_or(false) || !facts->foreach.value_or(true))))
      return;
    const auto found = std::ranges::find(kLists, step.class_name, &Lists::class_name);
    if (found == std::end(kLists)) return note_unknown(step.class_name);
    if (index == 0 && context_.structure.past.steps == 0) make_state(kernel, *found);
    put_copies(kernel, *found, facts);
  }

  const OptimizerFacts* facts_of(const std::string& class_name) const {
    for (const auto& facts : context_.profile.metadata.optimizers) {
      if (facts.class_name.ends_with("." + class_name)) return &facts;
    }
    return nullptr;
  }

  /// Step counters stay on the host.
  void drop_counters(const Kernel& kernel) {
    for (const auto block : kernel.outputs()) {
      if (kernel.size_of(block).count <= 8) context_.script.drop(block);
    }
  }

  bool uses_lists(std::uint32_t node) const {
    for (auto i = node + 1; i < timeline_.nodes[node].end_node; ++i) {
      const auto name = context_.profile.names[timeline_.nodes[i].span.name];
      if (name.starts_with("aten::_foreach_") || name.starts_with("aten::_fused_")) return true;
    }
    return false;
  }

  void note_unknown(const std::string& class_name) {
    if (has_gap("optimizer_temporaries")) return;
    context_.gaps.push_back({"optimizer_temporaries", "the temporary memory of a step of " + class_name +
                                                          " is taken from the CPU; a GPU may need a different amount"});
  }

  bool has_gap(std::string_view name) const {
    return std::ranges::find(context_.gaps, name, &Gap::name) != context_.gaps.end();
  }

  /// State that existed before the trace began is inserted before everything else, beside the parameters.
  void make_state(const Kernel& kernel, const Lists& lists) {
    const auto& trained = context_.model.trained;
    if (lists.state == 0 || trained.empty()) return;
    std::size_t made = 0;
    for (const auto block : kernel.outputs()) made += kernel.size_of(block).count > 8 ? 1 : 0;
    if (made * 2 >= trained.size()) return;
    if (lists.state_at_birth && context_.model.in_trace) return;
    if (!lists.state_at_birth) {
      context_.gaps.push_back(
          {"first_step", "the optimizer's first step came before the trace; its state is assumed to exist already"});
    }
    for (const auto size : trained) {
      for (int i = 0; i < lists.state; ++i) context_.script.add(size, 0);
    }
  }

  void put_copies(Kernel& kernel, const Lists& lists, const OptimizerFacts* facts) {
    kernel.drop_temporaries();
    const bool decays = facts && facts->is_set("weight_decay") && lists.class_name != "AdamW";
    const int copies = decays ? lists.copies_with_decay : lists.copies;
    kernel.go_to_end();
    std::vector<std::uint32_t> blocks;
    for (int i = 0; i < copies; ++i) {
      for (const auto size : context_.model.trained) blocks.push_back(kernel.alloc(size));
    }
    for (const auto block : blocks) kernel.free(block);
  }

  Context& context_;
  const Timeline& timeline_;
};

}  // namespace

void lower_optimizers(Context& context, const Target&) { OptimizerLowering(context).run(); }

}  // namespace dryfit::estimate
