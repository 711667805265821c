// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// The largest sizes that the kernels have room for. kMostRows is a multiple of 16.
inline constexpr std::size_t kMostWidth = 256;
inline constexpr std::size_t kMostRows = 128;

/// Aligns the contents of a vector to a cache line, so that no vector register is loaded from two lines.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(CacheLineAllocator, CacheLineAllocator) { return true; }
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

/// A linear map as the kernels see it; points into a PackedLinear.
struct LinearView {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  const float* panels = nullptr;
  const float* bias = nullptr;
};

/// A linear map laid out for the kernels: its outputs in panels of 16, input by input.
struct PackedLinear {
  std::size_t inputs = 0;
  std::size_t outputs = 0;  ///< rounded up to a multiple of 16; the added ones are 0
  AlignedFloats panels;
  AlignedFloats bias;

  LinearView view() const { return {inputs, outputs, panels.data(), bias.data()}; }
};

/// `weight` is outputs x inputs, row by row; `bias` may be empty.
PackedLinear pack(std::span<const float> weight, std::span<const float> bias, std::size_t inputs);

/// The few operations that a network consists of, on rows of floats. Rows of inputs and outputs are contiguous; widths
/// are multiples of 16, except for the inputs of a linear map. Input and output do not overlap, except for gelu and
/// log1p.
struct Kernels {
  /// y = map(x), row by row.
  void (*linear)(const LinearView& map, const float* x, std::size_t rows, float* y);

  /// y = y + map(x), row by row.
  void (*add_linear)(const LinearView& map, const float* x, std::size_t rows, float* y);

  /// x = GELU(x), in its tanh form (torch::nn::GELU with approximate "tanh").
  void (*gelu)(float* x, std::size_t size);

  /// y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, row by row.
  void (*layer_norm)(const float* x, std::size_t rows, std::size_t width, const float* weight, const float* bias,
                     float* y);

  /// y = the mean of the rows.
  void (*mean)(const float* x, std::size_t rows, std::size_t width, float* y);

  /// Both directions of a GRU. `gates` are rows of 6 * units numbers: the input's share of reset, update and new gate,
  /// of the forward direction, then of the backward one. The states after each row go to rows of 2 * units numbers.
  void (*bigru)(const LinearView& forward, const LinearView& backward, const float* gates, std::size_t rows,
                float* states);

  /// y = softmax(q k' / sqrt(width / heads)) v by head. `qkv` are rows of 3 * width numbers.
  void (*attention)(const float* qkv, std::size_t rows, std::size_t width, std::size_t heads, float* y);

  /// x = log(1 + x), within about 3 units in the last place of 1 + x; x is not below zero, `size` a multiple of 8.
  void (*log1p)(double* x, std::size_t size);

  const char* name;  ///< "avx512", "avx2", "plain"
};

/// The kernels that run on any processor; and all that this processor can run, the fastest first. Their results differ
/// in the last bits.
const Kernels& plain_kernels();
std::vector<const Kernels*> usable_kernels();

/// The fastest kernels for this processor.
const Kernels& best_kernels();

}  // namespace dryfit::predictor
