// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dryfit::predictor {

using Shape = std::vector<std::int64_t>;

/// One call of a module without modules inside, as a dry run saw it: docs/harvest.md. Shapes and bytes are of the whole
/// batch.
struct Layer {
  std::string name;  ///< "layer2.1.conv1"
  std::string kind;  ///< "Conv2d"
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  double parameters = 0;
  Shape kernel_size;  ///< empty: it has none
  double groups = 1;
  double between_bytes = 0;  ///< by which memory grew since the layer before; 0 where nobody looked
  double held_bytes = 0;     ///< by which it grew over the call
  double flops = 0;          ///< of its module in a step, forward and backward, at the module's first call
};

/// What a layer is to a network that looks at blocks of them.
enum class LayerRole { convolution, pointwise, grouped, depthwise, linear, norm, activation, pool, other };

/// By its kind, and of convolutions by kernel and groups.
LayerRole role_of(const Layer& layer);

/// How many numbers there are in all of them together.
double elements_of(const std::vector<Shape>& shapes);

/// Multiply-adds of its forward pass, of the whole batch: by its shapes where these tell, else a sixth of its
/// operations in a step.
double multiply_adds_of(const Layer& layer);

}  // namespace dryfit::predictor
