// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/layer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string_view>

namespace dryfit::predictor {
namespace {

constexpr std::array<std::string_view, 12> kActivations{"ReLU", "ELU",     "GELU",     "SiLU", "Swish",      "swish",
                                                        "Tanh", "Sigmoid", "Softplus", "Mish", "Activation", "Softmax"};

bool has_word(const Layer& layer, std::string_view word) { return layer.kind.find(word) != std::string::npos; }

double product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0,
                         [](double all, std::int64_t side) { return all * static_cast<double>(side); });
}

/// The second of (batch, channels, ...).
double channels_of(const std::vector<Shape>& shapes) {
  return shapes.empty() || shapes[0].size() < 3 ? 0 : static_cast<double>(shapes[0][1]);
}

LayerRole convolution_role(const Layer& layer) {
  if (layer.groups > 1) return layer.groups == channels_of(layer.inputs) ? LayerRole::depthwise : LayerRole::grouped;
  return product(layer.kernel_size) == 1 ? LayerRole::pointwise : LayerRole::convolution;
}

/// A transposed one scatters each of its inputs, the others gather for each of their outputs.
double convolution_multiply_adds(const Layer& layer) {
  const bool transposed = has_word(layer, "Transpose");
  const auto& each = transposed ? layer.outputs : layer.inputs;
  const auto& all = transposed ? layer.inputs : layer.outputs;
  return elements_of(all) * channels_of(each) / layer.groups * product(layer.kernel_size);
}

double linear_multiply_adds(const Layer& layer) {
  if (layer.inputs.empty() || layer.inputs[0].empty()) return 0;
  return elements_of(layer.outputs) * static_cast<double>(layer.inputs[0].back());
}

}  // namespace

LayerRole role_of(const Layer& layer) {
  const auto has = [&](std::string_view word) { return has_word(layer, word); };
  if (has("Pool")) return LayerRole::pool;
  if (!layer.kernel_size.empty() && layer.parameters > 0) return convolution_role(layer);
  if (has("Linear") || layer.kind == "Conv1D") return LayerRole::linear;
  if (has("Norm")) return LayerRole::norm;
  if (std::ranges::any_of(kActivations, has)) return LayerRole::activation;
  return LayerRole::other;
}

double elements_of(const std::vector<Shape>& shapes) {
  return std::transform_reduce(shapes.begin(), shapes.end(), 0.0, std::plus<>(), product);
}

double multiply_adds_of(const Layer& layer) {
  switch (role_of(layer)) {
    case LayerRole::convolution:
    case LayerRole::pointwise:
    case LayerRole::grouped:
    case LayerRole::depthwise:
      return convolution_multiply_adds(layer);
    case LayerRole::linear:
      return linear_multiply_adds(layer);
    default:
      return layer.flops / 6;
  }
}

}  // namespace dryfit::predictor
