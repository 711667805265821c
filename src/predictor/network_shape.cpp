// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/network_shape.h"

#include <utility>

#include "predictor/kernels.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kMost = kMostWidth;
constexpr std::size_t kMostLayers = 16;

class Parameters {
 public:
  void vector(const std::string& name, std::size_t size) { list_.push_back({name, size, 1}); }
  void matrix(const std::string& name, std::size_t rows, std::size_t columns) {
    list_.push_back({name, rows, columns});
  }
  void linear(const std::string& name, std::size_t to, std::size_t from) {
    matrix(name + ".weight", to, from);
    vector(name + ".bias", to);
  }
  void norm(const std::string& name, std::size_t width) {
    vector(name + ".weight", width);
    vector(name + ".bias", width);
  }
  std::vector<Parameter> take() { return std::move(list_); }

 private:
  std::vector<Parameter> list_;
};

void add_tokens(Parameters& parameters, const NetworkShape& shape) {
  if (shape.has_learned_token()) {
    parameters.vector("first", shape.width);
  } else {
    parameters.linear("job.0", shape.hidden, shape.job_features);
    parameters.linear("job.1", shape.width, shape.hidden);
  }
  parameters.linear("token", shape.token_maps * shape.width, shape.token_features);
}

void add_gru(Parameters& parameters, const NetworkShape& shape) {
  const std::size_t gates = 3 * shape.gru_units;
  for (const std::string direction : {"gru.forward", "gru.backward"}) {
    parameters.linear(direction + ".input", gates, shape.width);
    parameters.linear(direction + ".hidden", gates, shape.gru_units);
  }
  parameters.linear("gru.out", shape.width, 2 * shape.gru_units);
}

void add_layer(Parameters& parameters, const NetworkShape& shape, std::size_t layer) {
  const std::string name = "layers." + std::to_string(layer);
  parameters.norm(name + ".norm1", shape.width);
  parameters.linear(name + ".qkv", 3 * shape.width, shape.width);
  parameters.linear(name + ".out", shape.width, shape.width);
  parameters.norm(name + ".norm2", shape.width);
  parameters.linear(name + ".up", shape.feed_forward, shape.width);
  parameters.linear(name + ".down", shape.width, shape.feed_forward);
}

NetworkShape with_core(NetworkShape shape, Core core) {
  if (core == Core::transformer) shape.gru_units = 0;
  if (core == Core::bigru) shape.layers = 0;
  return shape;
}

bool is_multiple(std::size_t value, std::size_t of, bool may_be_zero = false) {
  return value <= kMost && value % of == 0 && (may_be_zero || value > 0);
}

Error bad(const std::string& what) { return {"the network's " + what + " is invalid", ""}; }

}  // namespace

NetworkShape sequence_shape(Core core, std::size_t job_features, std::size_t token_features) {
  return with_core({.job_features = job_features, .token_features = token_features}, core);
}

NetworkShape flat_shape(Core core, std::size_t job_features, std::size_t bins) {
  return with_core({.job_features = job_features,
                    .token_features = bins + 1,
                    .token_maps = job_features,
                    .most_tokens = job_features},
                   core);
}

Status check(const NetworkShape& shape) {
  if (!is_multiple(shape.job_features, 1) || !is_multiple(shape.token_features, 1)) return bad("number of features");
  if (!is_multiple(shape.token_maps, 1) || !is_multiple(shape.most_tokens, 1)) return bad("number of tokens");
  if (shape.most_tokens + 1 > kMostRows) return bad("number of tokens");
  if (shape.token_maps > 1 && shape.token_maps != shape.most_tokens) return bad("number of tokens");
  if (!is_multiple(shape.width, 16)) return bad("width");
  if (!is_multiple(shape.gru_units, 16, true)) return bad("number of GRU units");
  if (shape.layers > kMostLayers) return bad("number of layers");
  if (!is_multiple(shape.heads, 1) || shape.width % shape.heads != 0 || shape.width / shape.heads % 8 != 0) {
    return bad("number of heads");
  }
  if (!is_multiple(shape.feed_forward, 16)) return bad("feed-forward width");
  if (!is_multiple(shape.hidden, 16)) return bad("hidden width");
  return {};
}

std::vector<Parameter> parameters_of(const NetworkShape& shape) {
  Parameters parameters;
  add_tokens(parameters, shape);
  if (shape.gru_units > 0) add_gru(parameters, shape);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) add_layer(parameters, shape, layer);
  parameters.norm("norm", shape.width);
  parameters.linear("head.0", shape.hidden, 2 * shape.width);
  parameters.linear("head.1", 1, shape.hidden);
  parameters.matrix("skip.weight", 1, shape.job_features);
  return parameters.take();
}

std::size_t parameter_count(const NetworkShape& shape) {
  std::size_t count = 0;
  for (const auto& parameter : parameters_of(shape)) count += parameter.size();
  return count;
}

std::string_view to_text(Core core) {
  switch (core) {
    case Core::bigru_transformer:
      return "bigru-transformer";
    case Core::bigru:
      return "bigru";
    case Core::transformer:
      break;
  }
  return "transformer";
}

}  // namespace dryfit::predictor
