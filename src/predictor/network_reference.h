// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "predictor/network_shape.h"

/// The network again, for tests: in double precision, parameter by parameter, without any optimisation.
namespace dryfit::predictor::testing {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class ReferenceNetwork {
 public:
  ReferenceNetwork(const NetworkShape& shape, const std::vector<float>& weights) : shape_(shape) {
    auto next = weights.begin();
    for (const auto& parameter : parameters_of(shape)) {
      const auto end = next + static_cast<std::ptrdiff_t>(parameter.size());
      parameters_[parameter.name] = Row(next, end);
      next = end;
    }
  }

  double answer(const Row& job, const Rows& tokens) const {
    Rows x{shape_.has_learned_token() ? at("first") : linear("job.1", gelu(linear("job.0", job)))};
    for (std::size_t i = 0; i < tokens.size(); ++i) x.push_back(token(tokens[i], i));
    if (shape_.gru_units > 0) add(gru(x), x);
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
      const std::string name = "layers." + std::to_string(layer);
      add(attention(name, norm(name + ".norm1", x)), x);
      Rows forward;
      for (const auto& row : norm(name + ".norm2", x)) {
        forward.push_back(linear(name + ".down", gelu(linear(name + ".up", row))));
      }
      add(forward, x);
    }
    return read_out(job, norm("norm", x));
  }

 private:
  const Row& at(const std::string& name) const { return parameters_.at(name); }

  Row linear(const std::string& name, const Row& x) const {
    const auto& weight = at(name + ".weight");
    Row y = at(name + ".bias");
    for (std::size_t i = 0; i < weight.size(); ++i) y[i / x.size()] += weight[i] * x[i % x.size()];
    return y;
  }

  Row token(const Row& features, std::size_t place) const {
    const auto all = linear("token", features);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(shape_.has_learned_token() ? place * shape_.width : 0);
    return {begin, begin + static_cast<std::ptrdiff_t>(shape_.width)};
  }

  static Row gelu(Row x) {
    for (auto& v : x) v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    return x;
  }

  static void add(const Rows& from, Rows& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      for (std::size_t j = 0; j < to[i].size(); ++j) to[i][j] += from[i][j];
    }
  }

  Rows norm(const std::string& name, Rows rows) const {
    for (auto& row : rows) {
      double mean = 0;
      double variance = 0;
      for (const double v : row) mean += v / static_cast<double>(row.size());
      for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * at(name + ".weight")[i] + at(name + ".bias")[i];
      }
    }
    return rows;
  }

  Row gru_step(const std::string& direction, const Row& x, const Row& state) const {
    const auto input = linear(direction + ".input", x);
    const auto hidden = linear(direction + ".hidden", state);
    const std::size_t n = state.size();
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    Row after(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double reset = sigmoid(input[i] + hidden[i]);
      const double update = sigmoid(input[n + i] + hidden[n + i]);
      const double fresh = std::tanh(input[2 * n + i] + reset * hidden[2 * n + i]);
      after[i] = (1 - update) * fresh + update * state[i];
    }
    return after;
  }

  Rows gru(const Rows& x) const {
    Rows forward(x.size());
    Rows backward(x.size());
    Row state(shape_.gru_units);
    for (std::size_t i = 0; i < x.size(); ++i) forward[i] = state = gru_step("gru.forward", x[i], state);
    state.assign(shape_.gru_units, 0);
    for (std::size_t i = x.size(); i-- > 0;) backward[i] = state = gru_step("gru.backward", x[i], state);
    Rows out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      forward[i].insert(forward[i].end(), backward[i].begin(), backward[i].end());
      out.push_back(linear("gru.out", forward[i]));
    }
    return out;
  }

  Rows attention(const std::string& name, const Rows& x) const {
    Rows qkv;
    for (const auto& row : x) qkv.push_back(linear(name + ".qkv", row));
    Rows mixed(x.size(), Row(shape_.width));
    const std::size_t size = shape_.width / shape_.heads;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      for (std::size_t i = 0; i < x.size(); ++i) attend(qkv, i, head * size, size, mixed[i]);
    }
    Rows out;
    for (const auto& row : mixed) out.push_back(linear(name + ".out", row));
    return out;
  }

  void attend(const Rows& qkv, std::size_t query, std::size_t begin, std::size_t size, Row& mixed) const {
    Row weights;
    double total = 0;
    for (const auto& key : qkv) {
      double score = 0;
      for (std::size_t d = begin; d < begin + size; ++d) score += qkv[query][d] * key[shape_.width + d];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(size))));
      total += weights.back();
    }
    for (std::size_t j = 0; j < qkv.size(); ++j) {
      for (std::size_t d = begin; d < begin + size; ++d) mixed[d] += weights[j] / total * qkv[j][2 * shape_.width + d];
    }
  }

  double read_out(const Row& job, const Rows& x) const {
    Row both = x[0];
    both.resize(2 * shape_.width);
    for (const auto& row : x) {
      for (std::size_t i = 0; i < shape_.width; ++i) both[shape_.width + i] += row[i] / static_cast<double>(x.size());
    }
    double answer = linear("head.1", gelu(linear("head.0", both)))[0];
    for (std::size_t i = 0; i < job.size(); ++i) answer += at("skip.weight")[i] * job[i];
    return answer;
  }

  NetworkShape shape_;
  std::map<std::string, Row> parameters_;
};

/// Weights of a sensible size for any shape.
inline std::vector<float> random_weights(const NetworkShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> weights;
  for (const auto& parameter : parameters_of(shape)) {
    const float scale = 1 / std::sqrt(static_cast<float>(parameter.columns));
    const bool is_norm = parameter.name.find("norm") != std::string::npos && parameter.name.ends_with("weight");
    for (std::size_t i = 0; i < parameter.size(); ++i)
      weights.push_back((is_norm ? 1 : 0) + 0.7f * scale * normal(random));
  }
  return weights;
}

}  // namespace dryfit::predictor::testing
