// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/convolution_workspace.h"
#include "estimate/element_size.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

/// Height and width last, channels in between: the layout that cuDNN is given is the inputs' own.
bool is_channels_last(const Input& tensor) {
  if (tensor.dims.size() != 4 || tensor.strides.size() != 4) return false;
  return tensor.strides[1] == 1 && tensor.dims[1] > 1 && tensor.strides[3] == tensor.dims[1] &&
         (tensor.dims[2] > 1 || tensor.dims[3] > 1);
}

/// The convolution that the inputs from `first` on (input, weight) describe; stride, padding and so on begin at
/// `numbers`.
std::optional<Convolution> describe(const Kernel& kernel, std::size_t first, std::size_t numbers) {
  const auto* input = kernel.tensor(first);
  const auto* weight = kernel.tensor(first + 1);
  if (!input || !weight || input->dims.size() != 4 || weight->dims.size() != 4) return std::nullopt;
  const auto first_of = [&](std::size_t index, std::int64_t otherwise) {
    const auto found = kernel.numbers(index);
    return found.empty() ? otherwise : found.front();
  };
  Convolution convolution{.type = input->type,
                          .channels_last = is_channels_last(*input) || is_channels_last(*weight),
                          .in_channels = input->dims[1],
                          .height = input->dims[2],
                          .width = input->dims[3],
                          .out_channels = weight->dims[0],
                          .kernel_height = weight->dims[2],
                          .kernel_width = weight->dims[3],
                          .stride = std::max<std::int64_t>(first_of(numbers, 1), 1),
                          .padding = first_of(numbers + 1, 0),
                          .dilation = first_of(numbers + 2, 1),
                          .batch = input->dims[0]};
  const auto per_group = weight->dims[1];
  convolution.groups = per_group > 0 ? std::max<std::int64_t>(input->dims[1] / per_group, 1) : 1;
  return convolution;
}

Bytes workspace(const std::optional<Convolution>& convolution, Pass pass, const Target& target, Kernel& kernel) {
  if (convolution && is_native_depthwise(*convolution)) return {};
  const auto* table = target.workspaces ? target.workspaces->of(target.card.compute_capability) : nullptr;
  const auto found = convolution && table ? table->workspace(*convolution, pass) : std::nullopt;
  if (!found) kernel.context().diagnostics.add("estimate.unknown_workspaces");
  return found.value_or(Bytes{});
}

}  // namespace

/// cuDNN: the output, then the workspace of the chosen plan for the call. A bias is added in place.
bool lower_convolution(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  for (const auto block : kernel.outputs()) kernel.alloc(block);
  kernel.scratch(workspace(describe(kernel, 0, 3), Pass::forward, target, kernel));
  return true;
}

/// The gradient of the input, that of the weight, each with a workspace; then that of the bias.
bool lower_convolution_backward(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto convolution = describe(kernel, 1, 4);
  const auto* input = kernel.tensor(1);
  const auto* weight = kernel.tensor(2);
  auto left = kernel.outputs();
  const auto take = [&](std::optional<Bytes> size, Pass pass) {
    const auto found = std::ranges::find_if(left, [&](auto block) { return size && kernel.size_of(block) == *size; });
    if (found == left.end()) return;
    kernel.alloc(*found);
    left.erase(found);
    kernel.scratch(workspace(convolution, pass, target, kernel));
  };
  // The last of the inputs tells which gradients are wanted; one that is not wanted has no block.
  if (input && weight) {
    const auto wanted = kernel.inputs().empty() ? std::string() : kernel.inputs().back().value;
    if (wanted.rfind("[False", 0) != 0) take(tensor_size(*input), Pass::input_gradient);
    take(tensor_size(*weight), Pass::weight_gradient);
  }
  for (const auto block : left) kernel.alloc(block);
  return true;
}

}  // namespace dryfit::estimate
