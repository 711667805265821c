// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// The numbers of a block, in the order of Block::values and of the columns of a block table.
enum class BlockField : std::size_t {
  run,  ///< the number of identical consecutive blocks that this one represents
  saved_bytes,
  max_out_bytes,
  param_bytes,
  macs,
  n_conv,
  n_pointwise,
  n_groupconv,
  n_depthwise,
  n_linear,
  n_norm,
  n_func,
  n_act,
  n_pool,
  max_conv_bytes,
  max_groupconv_bytes,
  max_depthwise_bytes,
  k_group_dw,
  k_conv,
  saved_func,
  saved_norm,
  saved_act,
  hw_group_dw,
  max_groups,
  max_channels,
};
inline constexpr std::size_t kBlockFields = 25;
inline constexpr std::size_t kMostBlocks = 16;

/// "saved_bytes": the column of that name.
std::string_view to_text(BlockField field);

/// A part of a model: layers that belong together, per sample of a batch. Sums and counts are over the whole run,
/// maxima over its layers.
struct Block {
  std::array<double, kBlockFields> values{};

  double& operator[](BlockField field) { return values[static_cast<std::size_t>(field)]; }
  double operator[](BlockField field) const { return values[static_cast<std::size_t>(field)]; }
};

/// A training job of an image model, as a scheduler knows it before anything runs.
struct Job {
  double batch = 0;
  double image = 0;           ///< height and width of the input in training
  double params_m = 0;        ///< millions of parameters
  double gmacs = 0;           ///< multiply-adds of one sample's forward pass, 10^9
  double macts_m = 0;         ///< activations of one sample, 10^6 elements
  double estimate_mib = 0;    ///< of the peak, by a run without data (FakeTensor)
  std::vector<Block> blocks;  ///< in the order of the data; empty: unknown
};

/// An Error names a number that is not finite or below zero, or says that there are more than kMostBlocks.
Status check(const std::vector<Block>& blocks);

/// An Error names a number that is not finite or out of range: all but those of blocks must be above zero.
Status check(const Job& job);

}  // namespace dryfit::predictor
