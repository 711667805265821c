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
    {"aten::scaled_dot_product_attention", lower_attention},
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

void lower(Context& context, const Card& card, simulator::TorchVersion torch) {
  Target target{card, torch};
  std::vector<Rule> rules(context.profile.names.size(), nullptr);
  for (const auto& [name, rule] : kRules) {
    if (const auto id = context.profile.names.find(name)) rules[*id] = rule;
  }
  const auto& nodes = context.timeline.nodes;
  for (std::uint32_t i = 0; i < nodes.size();) {
    const auto rule = nodes[i].span.kind == Span::Kind::op ? rules[nodes[i].span.name] : nullptr;
    if (!rule) {
      ++i;
      continue;
    }
    Kernel kernel(context, i);
    i = rule(kernel, target) ? nodes[i].end_node : i + 1;
  }
  lower_optimizers(context, target);
}

}  // namespace dryfit::estimate
