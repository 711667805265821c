// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "estimate/convolution_workspace.h"
#include "estimate/element_size.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

/// Height and width last, channels in between: cuDNN gets the inputs' own layout.
bool is_channels_last(const Input& tensor) {
  if (tensor.dims.size() != 4 || tensor.strides.size() != 4) return false;
  return tensor.strides[1] == 1 && tensor.dims[1] > 1 && tensor.strides[3] == tensor.dims[1] &&
         (tensor.dims[2] > 1 || tensor.dims[3] > 1);
}

/// Both kinds of half precision get the same plans, except in a first layer with three channels.
std::string type_of_plan(const Input& input) { return input.type == "c10::BFloat16" ? "c10::Half" : input.type; }

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
  Convolution convolution{.type = type_of_plan(*input),
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
  if (!found || !table->knows_kind_of(*convolution)) kernel.context().diagnostics.add("estimate.guessed_workspaces");
  return found.value_or(Bytes{});
}

/// Whether the elements are contiguous in the order that cuDNN is called with. Dimensions of one element may have any
/// stride.
bool is_in_order(const Input& tensor, bool channels_last) {
  if (tensor.strides.size() != 4 || tensor.dims.size() != 4) return true;
  static constexpr std::array<std::size_t, 4> kPlain{3, 2, 1, 0};
  static constexpr std::array<std::size_t, 4> kChannelsLast{1, 3, 2, 0};
  std::int64_t stride = 1;
  for (const auto dimension : channels_last ? kChannelsLast : kPlain) {
    if (tensor.dims[dimension] > 1 && tensor.strides[dimension] != stride) return false;
    stride *= tensor.dims[dimension];
  }
  return true;
}

/// A copy in cuDNN's order, if the tensor is in another.
std::optional<std::uint32_t> copy_in_order(Kernel& kernel, const Input* tensor, bool channels_last) {
  const auto size = tensor ? tensor_size(*tensor) : std::nullopt;
  if (!size || is_in_order(*tensor, channels_last)) return std::nullopt;
  return kernel.alloc(*size);
}

void free_copy(Kernel& kernel, std::optional<std::uint32_t> copy) {
  if (copy) kernel.free(*copy);
}

/// The tables were made with weights in the plain order, so for channels last they include the weight's copy.
void weight_copy_and_workspace(Kernel& kernel, const Input* weight, bool channels_last, Bytes bytes) {
  const auto size = weight ? tensor_size(*weight) : std::nullopt;
  const bool is_counted = channels_last && size && weight->dims[1] > 1 && bytes >= *size;
  const auto copy = copy_in_order(kernel, weight, channels_last);
  kernel.workspace(is_counted ? bytes - *size : bytes);
  free_copy(kernel, copy);
}

/// The gradient of the bias is the sum of the output's over everything but channels.
void sum_bias(Kernel& kernel, const Target& target) {
  const auto* output = kernel.tensor(0);
  if (!output) return;
  std::vector<std::int64_t> over{0};
  for (std::size_t i = 2; i < output->dims.size(); ++i) over.push_back(static_cast<std::int64_t>(i));
  reduce(kernel, *output, std::move(over), target);
}

}  // namespace

/// cuDNN: the output, then the workspace of the chosen plan for the call. A bias is added in place.
bool lower_convolution(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto convolution = describe(kernel, 0, 3);
  const bool channels_last = convolution && convolution->channels_last;
  for (const auto block : kernel.outputs()) kernel.alloc(block);
  if (convolution && is_native_depthwise(*convolution)) return true;
  const auto input = copy_in_order(kernel, kernel.tensor(0), channels_last);
  weight_copy_and_workspace(kernel, kernel.tensor(1), channels_last,
                            workspace(convolution, Pass::forward, target, kernel));
  free_copy(kernel, input);
  return true;
}

/// The gradient of the input, that of the weight, each with a workspace; then that of the bias. PyTorch's own depthwise
/// kernels begin with the weight.
bool lower_convolution_backward(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto convolution = describe(kernel, 1, 4);
  const bool channels_last = convolution && convolution->channels_last;
  const auto* input = kernel.tensor(1);
  const auto* weight = kernel.tensor(2);
  auto left = kernel.outputs();
  /// The gradient of that size, if there is one.
  const auto take = [&](std::optional<Bytes> size) {
    const auto found = std::ranges::find_if(left, [&](auto block) { return size && kernel.size_of(block) == *size; });
    if (found == left.end()) return false;
    kernel.alloc(*found);
    left.erase(found);
    return true;
  };
  const auto gradient = copy_in_order(kernel, kernel.tensor(0), channels_last);
  // The last input says which gradients are needed; the others have no block.
  const auto wanted = kernel.inputs().empty() ? std::string() : kernel.inputs().back().value;
  const auto weight_gradient = [&] {
    if (weight && take(tensor_size(*weight))) {
      kernel.workspace(workspace(convolution, Pass::weight_gradient, target, kernel));
    }
  };
  const bool is_native = convolution && is_native_depthwise(*convolution);
  if (is_native) weight_gradient();
  if (input && wanted.rfind("[False", 0) != 0 && take(tensor_size(*input))) {
    weight_copy_and_workspace(kernel, weight, channels_last,
                              workspace(convolution, Pass::input_gradient, target, kernel));
  }
  if (!is_native) weight_gradient();
  free_copy(kernel, gradient);
  for (const auto block : left) kernel.alloc(block);
  if (!left.empty()) sum_bias(kernel, target);
  return true;
}

}  // namespace dryfit::estimate
