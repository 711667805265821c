// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "card/card.h"

namespace dryfit::estimate {

/// A two-dimensional convolution, as PyTorch calls cuDNN for it.
struct Convolution {
  std::string type;  ///< of its elements: "float"
  std::int64_t batch = 0, in_channels = 0, height = 0, width = 0;
  std::int64_t out_channels = 0, kernel_height = 0, kernel_width = 0;
  std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
  bool channels_last = false;
};

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient };

/// PyTorch has kernels of its own for it, which need no workspace (torch `use_cudnn_depthwise`).
bool is_native_depthwise(const Convolution& convolution);

/// What the plan that cuDNN chooses first takes for its work; none: not known.
std::optional<Bytes> convolution_workspace(const Convolution& convolution, Pass pass, ComputeCapability chip);

}  // namespace dryfit::estimate
