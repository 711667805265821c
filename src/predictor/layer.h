// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dryfit::predictor {

using Shape = std::vector<std::int64_t>;

/// One call of a module that contains no other modules, as a dry run saw it: docs/harvest.md. Shapes and bytes are for
/// the whole batch.
struct Layer {
  std::string name;  ///< "layer2.1.conv1"
  std::string kind;  ///< "Conv2d"
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  double parameters = 0;
  Shape kernel_size;  ///< empty if it has none
  double groups = 1;
  double between_bytes = 0;  ///< growth of memory since the previous layer; 0 if it was not recorded
  double held_bytes = 0;     ///< growth of memory over the call
  double flops = 0;          ///< of its module in a step, forward and backward; only at the module's first call
};

/// The role of a layer in a block, as networks see it.
enum class LayerRole { convolution, pointwise, grouped, depthwise, linear, norm, activation, pool, other };

/// Decided by its kind, and for convolutions by kernel and groups.
LayerRole role_of(const Layer& layer);

/// The number of elements in all of the shapes together.
double elements_of(const std::vector<Shape>& shapes);

/// Multiply-adds of its forward pass for the whole batch: from its shapes if possible, otherwise a sixth of its
/// operations in a step.
double multiply_adds_of(const Layer& layer);

}  // namespace dryfit::predictor
