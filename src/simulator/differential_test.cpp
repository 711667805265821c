// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/reference/differential.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace dryfit::simulator {
namespace {

std::vector<std::uint8_t> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Differential, Fast_and_reference_agree_on_the_corpus_of_the_fuzzer) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(DRYFIT_SOURCE_DIR "/tests/fuzz/simulator_differential")) {
    EXPECT_EQ(first_difference(contents(entry.path())), std::nullopt) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(Differential, Fast_and_reference_agree_on_random_calls) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint8_t> input(1000);
    for (auto& byte : input) byte = static_cast<std::uint8_t>(random());
    input[0] = static_cast<std::uint8_t>(round);
    input[1] = static_cast<std::uint8_t>(round / 8);
    EXPECT_EQ(first_difference(input), std::nullopt) << "round " << round;
  }
}

}  // namespace
}  // namespace dryfit::simulator
