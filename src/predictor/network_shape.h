// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// The layers between the tokens and the answer.
enum class Core { bigru_transformer, bigru, transformer };

/// The sizes of a network, which determine its parameters (parameters_of).
///
///   job features ─► MLP (or a learned token) ─► token 0 ┐
///   tokens ───────► linear ───────────────────► 1 to n ─┴─► x + linear(BiGRU(x)) ─► pre-norm Transformer layers
///     ─► layer norm ─► [token 0, mean of all] ─► linear, GELU, linear ─► answer + linear(job features)
///
/// Without GRU units or without layers, that part is left out. Tokens are blocks of a model, read by one linear map; or
/// features of the job, each with a map of its own (`token_maps` of them), and then token 0 is learned.
struct NetworkShape {
  std::size_t job_features = 0;
  std::size_t token_features = 0;
  std::size_t token_maps = 1;    ///< above 1: one token per feature, a fixed number of them
  std::size_t most_tokens = 16;  ///< without token 0
  std::size_t width = 32;
  std::size_t gru_units = 16;  ///< per direction
  std::size_t layers = 2;
  std::size_t heads = 4;
  std::size_t feed_forward = 64;
  std::size_t hidden = 64;  ///< of the MLPs at the beginning and the end

  bool has_learned_token() const { return token_maps > 1; }
  friend bool operator==(const NetworkShape&, const NetworkShape&) = default;
};

/// A network over up to 16 blocks of a model, and its features.
NetworkShape sequence_shape(Core core, std::size_t job_features, std::size_t token_features);

/// A network over the features alone, each a token of `bins` + 1 numbers (piecewise.h).
NetworkShape flat_shape(Core core, std::size_t job_features, std::size_t bins);

/// An Error unless all sizes are valid: width, units, feed_forward and hidden are multiples of 16, the width of a head
/// is a multiple of 8, and nothing is so large that it could only come from a damaged file.
Status check(const NetworkShape& shape);

struct Parameter {
  std::string name;  ///< "layers.0.qkv.weight"
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< 1 for a vector

  std::size_t size() const { return rows * columns; }
};

/// All parameters in the order of the weights; a matrix maps `columns` numbers to `rows`, row by row. The GRU's gates
/// are in the order reset, update, new, each with two biases, as in torch::nn::GRU.
std::vector<Parameter> parameters_of(const NetworkShape& shape);

/// The number of weights.
std::size_t parameter_count(const NetworkShape& shape);

/// "bigru-transformer", "bigru", "transformer".
std::string_view to_text(Core core);

}  // namespace dryfit::predictor
