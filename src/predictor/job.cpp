// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job.h"

#include <cmath>
#include <string>

namespace dryfit::predictor {
namespace {

constexpr std::array<std::string_view, kBlockFields> kFieldNames{"run",
                                                                 "saved_bytes",
                                                                 "max_out_bytes",
                                                                 "param_bytes",
                                                                 "macs",
                                                                 "n_conv",
                                                                 "n_pointwise",
                                                                 "n_groupconv",
                                                                 "n_depthwise",
                                                                 "n_linear",
                                                                 "n_norm",
                                                                 "n_func",
                                                                 "n_act",
                                                                 "n_pool",
                                                                 "max_conv_bytes",
                                                                 "max_groupconv_bytes",
                                                                 "max_depthwise_bytes",
                                                                 "k_group_dw",
                                                                 "k_conv",
                                                                 "saved_func",
                                                                 "saved_norm",
                                                                 "saved_act",
                                                                 "hw_group_dw",
                                                                 "max_groups",
                                                                 "max_channels"};

struct Named {
  std::string_view name;
  double value;
};

Status check_block(const Block& block, std::size_t place) {
  for (std::size_t i = 0; i < kBlockFields; ++i) {
    if (std::isfinite(block.values[i]) && block.values[i] >= 0) continue;
    return Error{"the job's block " + std::to_string(place) + ": '" + std::string(kFieldNames[i]) + "' is " +
                     std::to_string(block.values[i]),
                 "Give a number that is not below zero."};
  }
  return {};
}

}  // namespace

std::string_view to_text(BlockField field) { return kFieldNames[static_cast<std::size_t>(field)]; }

Status check(const std::vector<Block>& blocks) {
  if (blocks.size() > kMostBlocks) {
    return Error{"the job has " + std::to_string(blocks.size()) + " blocks, more than " + std::to_string(kMostBlocks),
                 "Merge adjacent equal blocks."};
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (auto status = check_block(blocks[i], i); !status) return status;
  }
  return {};
}

Status check(const Job& job) {
  const Named numbers[] = {{"batch", job.batch}, {"image", job.image},     {"params_m", job.params_m},
                           {"gmacs", job.gmacs}, {"macts_m", job.macts_m}, {"estimate_mib", job.estimate_mib}};
  for (const auto& [name, value] : numbers) {
    if (std::isfinite(value) && value > 0) continue;
    return Error{"the job's '" + std::string(name) + "' is " + std::to_string(value), "Give a number above zero."};
  }
  return check(job.blocks);
}

}  // namespace dryfit::predictor
