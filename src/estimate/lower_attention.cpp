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

/// CUDA's kernels write the result with the heads inside: batch, sequence, head, channel. What the program does next,
/// putting it into that order and making it contiguous, is a copy on the CPU and none on the card.
void drop_copy_of(std::uint32_t output, Kernel& kernel) {
  auto& context = kernel.context();
  const auto& timeline = context.timeline;
  for (auto i = timeline.nodes[kernel.node()].end_node; i < timeline.nodes.size(); ++i) {
    const auto& span = timeline.nodes[i].span;
    const auto name = context.profile.names[span.name];
    const bool is_copy = std::ranges::find(kCopies, name) != std::end(kCopies);
    // Anything else uses the result as it is.
    if (!is_copy && span.kind == Span::Kind::op && std::ranges::find(kViews, name) == std::end(kViews)) return;
    if (!is_copy) continue;
    const Kernel copying(context, i);
    if (copying.outputs().empty()) continue;
    const auto copy = copying.outputs().front();
    if (copying.outputs().size() != 1 || copying.size_of(copy) != copying.size_of(output)) return;
    // Of the two blocks the one that lives longer stays, from the attention on.
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
  kernel.free(sums);
  kernel.free(accumulator);
}

/// torch `_efficient_attention_backward`: outside of half precision, PyTorch's operators make delta from the product of
/// the result and its gradient; then the kernel has a tile, with a lock, for each block of the query's gradient, and
/// wide heads one of the key's and of the value's.
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

}  // namespace

/// The result and the logarithms of its sums are kept, as on the card (torch
/// `_scaled_dot_product_efficient_attention`).
bool lower_flash_attention(Kernel& kernel, Target&) {
  kernel.drop_temporaries();
  if (kernel.outputs().empty()) return true;
  // Older versions return empty tensors and single numbers beside.
  for (const auto block : kernel.outputs()) {
    if (kernel.size_of(block) <= kNumber) kernel.context().script.drop(block);
  }
  drop_copy_of(kernel.outputs().front(), kernel);
  return true;
}

/// Gradients of query, key and value, then scratch memory of the kernel that a card has for it.
bool lower_flash_attention_backward(Kernel& kernel, Target& target) {
  kernel.drop_temporaries();
  const auto query = extent_of(kernel.tensor(1));
  if (!query) return true;
  constexpr std::size_t kMask = 8;
  kernel.go_to_end();
  if (goes_to_flash(kernel, target, kMask)) {
    flash_backward(kernel, *query);
  } else {
    efficient_backward(kernel, *query, element_size(kernel.tensor(1)->type) == 2u);
  }
  return true;
}

}  // namespace dryfit::estimate
