// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/lowering.h"

#include <algorithm>
#include <utility>

namespace dryfit::estimate {
namespace {

void note_gap(Context& context, const std::string& name, const std::string& text) {
  if (std::ranges::find(context.gaps, name, &Gap::name) == context.gaps.end()) context.gaps.push_back({name, text});
}

bool note_recurrence(Kernel& kernel, Target&) {
  note_gap(kernel.context(), "recurrent",
           "a recurrent network runs as one kernel on a GPU but operator by operator on the CPU; the CPU's memory is "
           "assumed");
  return false;
}

bool note_attention(Kernel& kernel, Target&) {
  note_gap(kernel.context(), "attention",
           "attention ran as matrix products on the CPU; a GPU has kernels that keep less (`dryfit profile` records "
           "those)");
  return false;
}

constexpr std::pair<std::string_view, Rule> kRules[] = {
    {"aten::convolution", lower_convolution},
    {"aten::convolution_backward", lower_convolution_backward},
    {"aten::_batch_norm_impl_index", lower_batch_norm},
    {"aten::native_batch_norm_backward", lower_batch_norm_backward},
    {"aten::dropout", lower_dropout},
    {"aten::dropout_", lower_dropout},
    // With MKL, the CPU draws integers first.
    {"aten::bernoulli_", lower_plain},
    {"aten::native_dropout", lower_plain},
    {"aten::native_dropout_backward", lower_plain},
    {"aten::native_layer_norm_backward", lower_contiguous},
    {"aten::native_group_norm_backward", lower_contiguous},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", lower_flash_attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", lower_flash_attention_backward},
    // Its name on the CPU in 2.1.
    {"aten::_scaled_dot_product_flash_attention", lower_flash_attention},
    {"aten::_scaled_dot_product_flash_attention_backward", lower_flash_attention_backward},
    {"aten::_scaled_dot_product_attention_math", note_attention},
    {"aten::lstm", note_recurrence},
    {"aten::gru", note_recurrence},
    {"aten::rnn_tanh", note_recurrence},
    {"aten::rnn_relu", note_recurrence},
    {"aten::embedding_dense_backward", lower_embedding_backward},
    {"aten::sum", lower_reduction},
    {"aten::mean", lower_reduction},
    {"aten::linalg_vector_norm", lower_norm},
    // The CPU makes its operands contiguous, or reduces one dimension after the other.
    {"aten::upsample_bilinear2d", lower_plain},
    {"aten::upsample_bilinear2d_backward", lower_plain},
    {"aten::upsample_bicubic2d", lower_plain},
    {"aten::upsample_bicubic2d_backward", lower_plain},
    // Operands of different types are converted in the kernel.
    {"aten::add", lower_plain},
    {"aten::add_", lower_plain},
    {"aten::sub", lower_plain},
    {"aten::sub_", lower_plain},
    {"aten::mul", lower_plain},
    {"aten::mul_", lower_plain},
    {"aten::div", lower_plain},
    {"aten::div_", lower_plain},
    {"aten::where", lower_plain},
    {"aten::addmm", lower_added_matrix_product},
    {"aten::mm", lower_matrix_product},
    {"aten::bmm", lower_matrix_product},
    {"aten::baddbmm", lower_added_matrix_product},
    {"aten::addbmm", lower_added_matrix_product},
    {"aten::mv", lower_matrix_product},
    {"aten::addmv", lower_added_matrix_product},
    {"aten::dot", lower_matrix_product},
};

}  // namespace

bool lower_plain(Kernel& kernel, Target&) {
  kernel.drop_temporaries();
  return true;
}

bool drops_temporaries(std::string_view name) {
  static constexpr Rule kDropping[] = {lower_convolution,
                                       lower_convolution_backward,
                                       lower_batch_norm,
                                       lower_batch_norm_backward,
                                       lower_matrix_product,
                                       lower_added_matrix_product,
                                       lower_flash_attention,
                                       lower_flash_attention_backward,
                                       lower_plain,
                                       lower_reduction,
                                       lower_norm};
  const auto found = std::ranges::find(kRules, name, [](const auto& rule) { return rule.first; });
  return found != std::end(kRules) && std::ranges::find(kDropping, found->second) != std::end(kDropping);
}

bool lower_contiguous(Kernel& kernel, Target&) {
  kernel.drop_temporaries_but_copies();
  return true;
}

void lower(Context& context, Target& target) {
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
