// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace dryfit::predictor {
namespace {

using Values = std::vector<float>;

/// Each test runs with all kernels that this processor can run.
class KernelsTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels() { return *GetParam(); }

  Values noise(std::size_t size, float scale = 1) {
    std::normal_distribution<float> normal(0, scale);
    Values values(size);
    for (auto& value : values) value = normal(random_);
    return values;
  }

 private:
  std::mt19937_64 random_{1};
};

INSTANTIATE_TEST_SUITE_P(All, KernelsTest, ::testing::ValuesIn(usable_kernels()),
                         [](const auto& kernels) { return std::string(kernels.param->name); });

TEST_P(KernelsTest, A_linear_map_of_any_size_is_what_it_is_on_paper) {
  for (const std::size_t rows : {1, 2, 5, 6, 9, 17, 40}) {
    for (const auto& [inputs, outputs] : {std::pair<std::size_t, std::size_t>{1, 1}, {25, 32}, {39, 64}, {16, 48}}) {
      const auto weight = noise(inputs * outputs);
      const auto bias = noise(outputs);
      const auto x = noise(rows * inputs);
      const auto map = pack(weight, bias, inputs);
      Values y(rows * map.outputs, -1);
      Values added(rows * map.outputs, -1);
      kernels().linear(map.view(), x.data(), rows, y.data());
      kernels().add_linear(map.view(), x.data(), rows, added.data());
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t out = 0; out < map.outputs; ++out) {
          double expected = out < outputs ? bias[out] : 0;
          for (std::size_t i = 0; i < inputs && out < outputs; ++i) {
            expected += double{weight[out * inputs + i]} * x[row * inputs + i];
          }
          ASSERT_NEAR(y[row * map.outputs + out], expected, 2e-5) << rows << " " << inputs << " " << outputs;
          ASSERT_NEAR(added[row * map.outputs + out], expected - 1, 2e-5) << rows << " " << inputs << " " << outputs;
        }
      }
    }
  }
}

TEST_P(KernelsTest, GELU_is_close_over_its_whole_range) {
  Values x;
  for (float value = -20; value < 20; value += 0.01f) x.push_back(value);
  for (const float value : {-1e4f, 1e4f, -0.0f, 1e-30f}) x.push_back(value);
  x.resize((x.size() + 15) / 16 * 16);
  auto y = x;
  kernels().gelu(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    const double expected = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    ASSERT_NEAR(y[i], expected, 1e-6 * (1 + std::abs(expected))) << v;
  }
}

TEST_P(KernelsTest, A_normed_row_has_mean_zero_and_deviation_one) {
  const auto x = noise(3 * 32, 50);
  const Values weight(32, 2);
  const Values bias(32, 5);
  Values y(x.size());
  kernels().layer_norm(x.data(), 3, 32, weight.data(), bias.data(), y.data());
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const double value = (y[row * 32 + i] - 5) / 2;
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum, 0, 1e-4);
    EXPECT_NEAR(squares / 32, 1, 1e-4);
  }
}

TEST_P(KernelsTest, The_mean_is_over_the_rows) {
  Values x;
  for (std::size_t i = 0; i < 3 * 48; ++i) x.push_back(static_cast<float>(i));
  Values y(48);
  kernels().mean(x.data(), 3, 48, y.data());
  for (std::size_t i = 0; i < 48; ++i) EXPECT_FLOAT_EQ(y[i], static_cast<float>(48 + i));
}

TEST_P(KernelsTest, A_GRU_with_a_closed_update_gate_keeps_only_the_new_state) {
  // update = sigmoid(-30) = 0, so that the state is tanh of the new gate's input.
  const std::size_t units = 16;
  const auto hidden = pack(Values(3 * units * units), Values(3 * units), units);
  Values gates(2 * 6 * units);
  for (std::size_t half = 0; half < 4; ++half) {
    std::fill_n(gates.begin() + half * 48 + 16, 16, -30.0f);
    std::fill_n(gates.begin() + half * 48 + 32, 16, 0.5f + half);
  }
  Values states(2 * 2 * units);
  kernels().bigru(hidden.view(), hidden.view(), gates.data(), 2, states.data());
  for (std::size_t half = 0; half < 4; ++half) EXPECT_NEAR(states[half * 16], std::tanh(0.5 + half), 1e-6);
}

TEST_P(KernelsTest, A_GRU_with_an_open_update_gate_keeps_its_state) {
  // The first step takes the new, the second keeps it; the backward direction's first is the last row.
  const std::size_t units = 32;
  const auto hidden = pack(Values(3 * units * units), Values(3 * units), units);
  Values gates(2 * 6 * units);
  for (const std::size_t first : {std::size_t{0}, 9 * units}) {
    std::fill_n(gates.begin() + first + units, units, -30.0f);
    std::fill_n(gates.begin() + first + 2 * units, units, first == 0 ? 0.5f : 0.25f);
  }
  for (const std::size_t second : {6 * units, 3 * units}) std::fill_n(gates.begin() + second + units, units, 30.0f);
  Values states(2 * 2 * units);
  kernels().bigru(hidden.view(), hidden.view(), gates.data(), 2, states.data());
  for (std::size_t unit = 0; unit < units; ++unit) {
    EXPECT_NEAR(states[2 * units + unit], std::tanh(0.5), 1e-6);
    EXPECT_NEAR(states[units + unit], std::tanh(0.25), 1e-6);
  }
}

TEST_P(KernelsTest, Attention_to_keys_that_are_all_alike_is_the_mean_of_the_values) {
  const std::size_t width = 32;
  auto qkv = noise(9 * 3 * width);
  for (std::size_t row = 0; row < 9; ++row) std::fill_n(qkv.begin() + row * 96 + 32, 32, 0.25f);
  Values y(9 * width);
  kernels().attention(qkv.data(), 9, width, 4, y.data());
  for (std::size_t i = 0; i < width; ++i) {
    double mean = 0;
    for (std::size_t row = 0; row < 9; ++row) mean += qkv[row * 96 + 64 + i] / 9.0;
    EXPECT_NEAR(y[i], mean, 1e-5);
    EXPECT_NEAR(y[8 * width + i], mean, 1e-5);
  }
}

TEST_P(KernelsTest, Attention_to_one_loud_key_is_its_value) {
  const std::size_t width = 32;
  auto qkv = noise(17 * 3 * width);
  for (std::size_t row = 0; row < 17; ++row) {
    std::fill_n(qkv.begin() + row * 96, 32, 10.0f);
    std::fill_n(qkv.begin() + row * 96 + 32, 32, row == 16 ? 10.0f : 0.0f);
  }
  Values y(17 * width);
  kernels().attention(qkv.data(), 17, width, 4, y.data());
  for (std::size_t i = 0; i < width; ++i) EXPECT_FLOAT_EQ(y[i], qkv[16 * 96 + 64 + i]);
}

TEST_P(KernelsTest, Logarithms_are_as_the_library_has_them) {
  std::vector<double> x{0, 1e-20, 1e-9, 0.4, 0.42, 1, 2, 1e15, 1e300, 1.7e308};
  for (double value = 1e-6; value < 1e18; value *= 1.37) x.push_back(value);
  x.resize((x.size() + 7) / 8 * 8);
  auto y = x;
  kernels().log1p(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(y[i], std::log1p(x[i]), 5e-16 * (1 + std::log1p(x[i]))) << x[i];
  }
}

}  // namespace
}  // namespace dryfit::predictor
