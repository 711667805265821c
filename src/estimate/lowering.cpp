// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/lowering.h"

#include <utility>

namespace dryfit::estimate {
namespace {

constexpr std::pair<std::string_view, Rule> kRules[] = {
    {"aten::convolution", lower_convolution},
    {"aten::convolution_backward", lower_convolution_backward},
    {"aten::_batch_norm_impl_index", lower_batch_norm},
    {"aten::native_batch_norm_backward", lower_batch_norm_backward},
    {"aten::dropout", lower_dropout},
    {"aten::dropout_", lower_dropout},
    {"aten::native_dropout", lower_plain},
    {"aten::native_dropout_backward", lower_plain},
    {"aten::native_layer_norm", lower_plain},
    {"aten::native_layer_norm_backward", lower_plain},
    {"aten::native_group_norm", lower_plain},
    {"aten::native_group_norm_backward", lower_plain},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", lower_flash_attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", lower_flash_attention_backward},
    {"aten::embedding_dense_backward", lower_embedding_backward},
    {"aten::addmm", lower_biased_matrix_product},
    {"aten::mm", lower_matrix_product},
    {"aten::bmm", lower_matrix_product},
    {"aten::baddbmm", lower_matrix_product},
    {"aten::addbmm", lower_matrix_product},
    {"aten::mv", lower_matrix_product},
    {"aten::addmv", lower_matrix_product},
    {"aten::dot", lower_matrix_product},
};

}  // namespace

bool lower_plain(Kernel& kernel, Target&) {
  kernel.drop_temporaries();
  return true;
}

void lower(Context& context, Target target) {
  std::vector<Rule> rules(context.profile.names.size(), nullptr);
  for (const auto& [name, rule] : kRules) {
    if (const auto id = context.profile.names.find(name)) rules[*id] = rule;
  }
  const auto& nodes = context.timeline.nodes;
  std::vector<bool> is_host(nodes.size());
  for (const auto* list : {&context.structure.to_host, &context.structure.loaders}) {
    for (const auto node : *list) is_host[node] = true;
  }
  for (std::uint32_t i = 0; i < nodes.size();) {
    if (is_host[i]) {
      i = nodes[i].end_node;
      continue;
    }
    const auto rule = nodes[i].span.kind == Span::Kind::op ? rules[nodes[i].span.name] : nullptr;
    if (!rule || nodes[i].first_event < context.structure.first_forward) {
      ++i;
      continue;
    }
    Kernel kernel(context, i);
    i = rule(kernel, target) ? nodes[i].end_node : i + 1;
  }
  lower_optimizers(context, target);
}

}  // namespace dryfit::estimate
