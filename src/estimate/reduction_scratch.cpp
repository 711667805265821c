// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/reduction_scratch.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "estimate/element_size.h"

namespace dryfit::estimate {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kMostThreads = 512;
constexpr std::int64_t kVector = 4;
constexpr std::int64_t kLeastValues = 16;  ///< for a thread
constexpr std::int64_t kMostValues = 256;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

struct Dimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

constexpr std::int64_t up(std::int64_t size, std::int64_t by) { return (size + by - 1) / by; }

std::int64_t last_power_of_2(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}

/// From the innermost to the outermost; contiguous ones are merged.
std::vector<Dimension> merged(std::vector<Dimension> dimensions) {
  std::ranges::stable_sort(dimensions, {}, &Dimension::stride);
  std::vector<Dimension> found;
  for (const auto& each : dimensions) {
    if (!found.empty() && each.stride % found.back().size == 0 &&
        each.stride / found.back().size == found.back().stride) {
      found.back().size *= each.size;
    } else {
      found.push_back(each);
    }
  }
  return found;
}

/// The tensor as PyTorch's iterator sees it.
struct Layout {
  std::vector<Dimension> reduced;
  std::vector<Dimension> kept;
  std::int64_t outputs = 1;
  std::int64_t inputs_per_output = 1;

  bool reduces_fastest() const {
    return kept.empty() || (!reduced.empty() && reduced.front().stride < kept.front().stride);
  }
};

Layout layout_of(const Reduction& reduction) {
  const auto rank = static_cast<std::int64_t>(reduction.dims.size());
  std::vector<bool> is_reduced(reduction.dims.size(), reduction.over.empty());
  for (const auto dimension : reduction.over) {
    const auto index = dimension < 0 ? dimension + rank : dimension;
    if (index >= 0 && index < rank) is_reduced[static_cast<std::size_t>(index)] = true;
  }
  Layout layout;
  std::int64_t contiguous = 1;
  for (auto i = reduction.dims.size(); i-- > 0;) {
    const auto size = reduction.dims[i];
    const auto stride = reduction.strides.size() == reduction.dims.size() ? reduction.strides[i] : contiguous;
    contiguous *= size;
    (is_reduced[i] ? layout.inputs_per_output : layout.outputs) *= size;
    if (size != 1) (is_reduced[i] ? layout.reduced : layout.kept).push_back({size, stride});
  }
  layout.reduced = merged(std::move(layout.reduced));
  layout.kept = merged(std::move(layout.kept));
  return layout;
}

/// Outputs that one thread computes together: neighbours in memory, and aligned.
std::int64_t output_vector(const Layout& layout) {
  auto size = std::gcd(kVector, layout.kept.front().size);
  for (const auto& each : layout.reduced) size = std::gcd(size, each.stride);
  for (auto i = layout.kept.begin() + 1; i != layout.kept.end(); ++i) size = std::gcd(size, i->stride);
  return size;
}

/// How the work is divided, step by step.
class Division {
 public:
  explicit Division(const Layout& layout) : layout_(layout), reduces_fastest_(layout.reduces_fastest()) {
    const auto stride =
        reduces_fastest_ ? (layout.reduced.empty() ? 1 : layout.reduced.front().stride) : layout.kept.front().stride;
    auto across = reduces_fastest_ ? layout.inputs_per_output : layout.outputs;
    const auto down = reduces_fastest_ ? layout.outputs : layout.inputs_per_output;
    if (stride == 1 && !reduces_fastest_) {
      vector_ = output_vector(layout);
      across /= vector_;
    } else if (stride == 1 && across > 128 && layout.kept.empty() && layout.reduced.size() == 1) {
      across /= kVector;
    }
    set_block(across, down);
    (reduces_fastest_ ? step_input_ : step_output_) *= width_;
    splits_rows_ = values() >= height_ * kLeastValues || values() >= kMostValues;
    (splits_rows_ ? step_input_ : step_output_) *= height_;
  }

  /// Blocks that work on the same output.
  std::int64_t blocks_per_output(std::int64_t multiprocessors, std::int64_t threads_per_multiprocessor) const {
    const auto wanted = multiprocessors * (threads_per_multiprocessor / (width_ * height_));
    if (!splits_rows_ || values() < kMostValues || grid() > wanted) return 1;
    return std::max(std::min(up(wanted, grid()), up(values(), kLeastValues)), up(values(), kMostValues));
  }

  std::int64_t grid() const { return up(layout_.outputs / vector_, step_output_); }
  /// Partial results of one output and block.
  std::int64_t partials() const { return reduces_fastest_ ? 1 : width_ * vector_; }

 private:
  void set_block(std::int64_t across, std::int64_t down) {
    const auto most = kMostThreads / vector_;
    const auto across_power = std::min(last_power_of_2(across), most);
    width_ = std::min(across_power, kWarp);
    height_ = std::min(std::min(last_power_of_2(down), most), most / width_);
    width_ = std::min(across_power, most / height_);
  }

  std::int64_t values() const { return up(layout_.inputs_per_output, step_input_); }

  const Layout& layout_;
  bool reduces_fastest_;
  bool splits_rows_ = false;
  std::int64_t vector_ = 1;
  std::int64_t width_ = 1;
  std::int64_t height_ = 1;
  std::int64_t step_input_ = 1;
  std::int64_t step_output_ = 1;
};

}  // namespace

ReductionScratch reduction_scratch(const Reduction& reduction, int multiprocessors, int threads_per_multiprocessor) {
  const auto count = element_count(reduction.dims);
  if (!count || *count == 0 || *count > kMostElements || multiprocessors <= 0) return {};
  const auto layout = layout_of(reduction);
  const Division division(layout);
  const auto blocks = division.blocks_per_output(multiprocessors, threads_per_multiprocessor);
  if (blocks <= 1) return {};
  const auto partials = static_cast<std::uint64_t>(layout.outputs * blocks * division.partials());
  return {.partial = Bytes{partials * reduction.accumulator_size},
          .semaphores = Bytes{static_cast<std::uint64_t>(4 * division.grid())}};
}

}  // namespace dryfit::estimate
