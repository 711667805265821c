// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/convolution_workspace.h"

namespace dryfit::estimate {

bool is_native_depthwise(const Convolution& convolution) {
  const bool is_depthwise = convolution.groups > 1 && convolution.groups == convolution.in_channels;
  return is_depthwise && !convolution.channels_last && convolution.type == "float";
}

std::optional<Bytes> convolution_workspace(const Convolution&, Pass, ComputeCapability) { return std::nullopt; }

}  // namespace dryfit::estimate
