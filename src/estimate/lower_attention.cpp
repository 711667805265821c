// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/element_size.h"
#include "estimate/lowering.h"

namespace dryfit::estimate {
namespace {

constexpr Bytes kNumber{16};

constexpr std::string_view kViews[] = {"aten::transpose", "aten::permute", "aten::view",   "aten::as_strided",
                                       "aten::detach",    "detach",        "aten::select", "aten::slice",
                                       "aten::unsqueeze", "aten::squeeze", "aten::alias",  "aten::_reshape_alias"};
constexpr std::string_view kCopies[] = {"aten::clone", "aten::contiguous", "aten::reshape"};

/// A tensor of batch, heads, sequence and channels.
struct Extent {
  std::uint64_t batch, heads, sequence, channels;
  std::uint64_t heads_in_all() const { return batch * heads; }
};

std::optional<Extent> extent_of(const Input* tensor) {
  if (!tensor || tensor->dims.size() != 4 || !element_count(tensor->dims)) return std::nullopt;
  const auto at = [&](std::size_t i) { return static_cast<std::uint64_t>(tensor->dims[i]); };
  return Extent{at(0), at(1), at(2), at(3)};
}

/// Whether a view of the result has the order that the memory-efficient kernel writes.
bool has_heads_inside(const Input* view, const Input* query) {
  const auto result = extent_of(view), input = extent_of(query);
  return !result || !input || (result->batch == input->batch && result->heads == input->sequence);
}

/// The end of the backward pass of the last operation in `node`: until then its inputs are kept.
std::uint32_t end_of_backward(std::uint32_t node, const Context& context) {
  const auto& nodes = context.timeline.nodes;
  const auto& backward = context.structure.backward;
  auto place = nodes[node].end_event;
  for (auto i = node; i < nodes[node].end_node; ++i) {
    const auto found = backward.find(nodes[i].span.sequence);
    if (found != backward.end()) place = nodes[found->second].end_event;
  }
  return place;
}

/// Note [The order of attention]: CUDA's memory-efficient kernel writes the result with the heads inside: batch,
/// sequence, head, channel. The flash kernel and the CPU write it in the query's order. Most programs next convert it
/// to the former order and make it contiguous, which may be a copy on the CPU and is none on the GPU.
/// nn.MultiheadAttention has queries with the sequence outside and needs that order for the result too: that is a copy
/// after the memory-efficient kernel, and none on the CPU.
void put_into_order(std::uint32_t output, Kernel& kernel, bool is_flash) {
  auto& context = kernel.context();
  const auto& timeline = context.timeline;
  std::optional<std::uint32_t> copied_before;
  for (auto i = timeline.nodes[kernel.node()].end_node; i < timeline.nodes.size(); ++i) {
    const auto& span = timeline.nodes[i].span;
    const auto name = context.profile.names[span.name];
    const bool is_copy = std::ranges::find(kCopies, name) != std::end(kCopies);
    // Anything else uses the result as it is.
    if (!is_copy && span.kind == Span::Kind::op && std::ranges::find(kViews, name) == std::end(kViews)) {
      if (copied_before) {
        const auto copy = context.script.add(kernel.size_of(output), *copied_before);
        context.script.free_at(copy, end_of_backward(i, context));
      }
      return;
    }
    // Dimensions are merged if they are contiguous.
    if (!is_flash && name == "aten::view" && !has_heads_inside(Kernel(context, i).tensor(0), kernel.tensor(0))) {
      copied_before = timeline.nodes[i].first_event;
    }
    if (!is_copy) continue;
    const Kernel copying(context, i);
    if (copying.outputs().empty()) continue;
    if (!has_heads_inside(copying.tensor(0), kernel.tensor(0))) return;
    const auto copy = copying.outputs().front();
    if (copying.outputs().size() != 1 || copying.size_of(copy) != copying.size_of(output)) return;
    // The longer-lived of the two blocks stays, from the attention on.
    const auto own_end = timeline.blocks[output].free_event;
    const auto copy_end = timeline.blocks[copy].free_event;
    if (own_end != kNone && (copy_end == kNone || copy_end > own_end)) {
      context.script.drop(output);
      context.script.alloc_at(copy, timeline.blocks[output].alloc_event);
    } else {
      context.script.drop(copy);
    }
    return;
  }
}

constexpr std::uint64_t up_to(std::uint64_t size, std::uint64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

/// The flash kernels take half precision without a mask, from Ampere on.
bool goes_to_flash(const Kernel& kernel, const Target& target, std::size_t mask) {
  const auto* query = kernel.tensor(1);
  return query && element_size(query->type) == 2u && !kernel.tensor(mask) && target.card.compute_capability.major >= 8;
}

/// torch `mha_bwd`: the row sums, and an accumulator of the query's gradient.
void flash_backward(Kernel& kernel, const Extent& query) {
  const auto rows = up_to(query.sequence, 128);
  const auto sums = kernel.alloc(Bytes{4 * query.heads_in_all() * rows});
  const auto width = up_to(query.channels, query.channels > 128 ? 64 : 32);
  const auto accumulator = kernel.alloc(Bytes{4 * query.heads_in_all() * rows * width});
  kernel.free(accumulator);
  kernel.free(sums);
}

/// torch `_efficient_attention_backward`: outside half precision, PyTorch's operators compute delta from the product of
/// the result and its gradient; then the kernel has a tile with a lock for each block of the query's gradient, and for
/// wide heads one for the key's and one for the value's.
void efficient_backward(Kernel& kernel, const Extent& query, bool is_half) {
  constexpr std::uint64_t kTile = 64;
  const Bytes row_sums{4 * query.heads_in_all() * query.sequence};
  std::uint32_t delta = 0;
  if (is_half) {
    delta = kernel.alloc(row_sums);
  } else {
    const auto product = kernel.alloc(Bytes{row_sums.count * query.channels});
    const auto sums = kernel.alloc(row_sums);
    delta = kernel.alloc(row_sums);
    kernel.free(sums);
    kernel.free(product);
  }
  const auto tiles = up_to(query.sequence, kTile) / kTile * (up_to(query.channels, kTile) / kTile);
  std::uint64_t of_a_head = tiles * (16 + 4 * kTile * kTile);
  if (query.channels > kTile) of_a_head += 2 * 4 * kTile * up_to(query.channels, kTile);
  const auto workspace = kernel.alloc(Bytes{query.heads_in_all() * of_a_head});
  kernel.free(delta);
  kernel.free(workspace);
}

/// A copy of a tensor for a kernel that needs it with the heads inside, if it is in another order.
std::optional<std::uint32_t> copy_with_heads_inside(Kernel& kernel, std::size_t index) {
  const auto* tensor = kernel.tensor(index);
  const auto size = tensor ? tensor_size(*tensor) : std::nullopt;
  if (!size || tensor->dims.size() != 4 || tensor->strides.size() != 4) return std::nullopt;
  std::int64_t stride = 1;
  for (const std::size_t dimension : {3, 1, 2, 0}) {
    if (tensor->dims[dimension] > 1 && tensor->strides[dimension] != stride) return kernel.alloc(*size);
    stride *= tensor->dims[dimension];
  }
  return std::nullopt;
}

}  // namespace

/// The result and the logarithms of its sums are kept, as on the GPU; for the latter the memory-efficient kernel rounds
/// up to multiples of 32 (torch `_efficient_attention_forward`).
bool lower_flash_attention(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  if (kernel.outputs().empty()) return true;
  // Older versions also return empty tensors and single numbers.
  for (const auto block : kernel.outputs()) {
    if (kernel.size_of(block) <= kNumber) kernel.context().script.drop(block);
  }
  constexpr std::size_t kMask = 5;
  const bool is_flash = goes_to_flash(kernel, target, kMask);
  const auto query = extent_of(kernel.tensor(0));
  if (query && kernel.outputs().size() > 1 && !is_flash) {
    const Bytes sums{4 * query->heads_in_all() * query->sequence};
    const auto block = kernel.outputs()[1];
    if (kernel.size_of(block) == sums) {
      kernel.context().script.resize(block, Bytes{4 * query->heads_in_all() * up_to(query->sequence, 32)});
    }
  }
  put_into_order(kernel.outputs().front(), kernel, is_flash);
  return true;
}

/// The result's gradient in the right order, and for the flash kernel the result; gradients of query, key and value;
/// then scratch memory of the GPU's kernel.
bool lower_flash_attention_backward(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto query = extent_of(kernel.tensor(1));
  if (!query) return true;
  constexpr std::size_t kResult = 4, kMask = 8;
  const bool is_flash = goes_to_flash(kernel, target, kMask);
  const auto gradient = copy_with_heads_inside(kernel, 0);
  const auto result = is_flash ? copy_with_heads_inside(kernel, kResult) : std::nullopt;
  kernel.go_to_end();
  if (is_flash) {
    flash_backward(kernel, *query);
  } else {
    efficient_backward(kernel, *query, element_size(kernel.tensor(1)->type) == 2u);
  }
  if (result) kernel.free(*result);
  if (gradient) kernel.free(*gradient);
  return true;
}

}  // namespace dryfit::estimate
