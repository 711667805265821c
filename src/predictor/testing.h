// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "predictor/job.h"

namespace dryfit::predictor::testing {

/// A block whose numbers are small and all different, so that a mix-up shows.
inline Block sample_block(double first) {
  Block block;
  for (std::size_t i = 0; i < kBlockFields; ++i) block.values[i] = first + static_cast<double>(i);
  return block;
}

/// Two blocks, batch 4.
inline Job sample_job() {
  return {.batch = 4,
          .image = 224,
          .params_m = 25,
          .gmacs = 4,
          .macts_m = 11,
          .estimate_mib = 1000,
          .blocks = {sample_block(1), sample_block(100)}};
}

}  // namespace dryfit::predictor::testing
