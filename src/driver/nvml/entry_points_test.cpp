// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

/// "nvmlInit_v2" of "nvmlReturn_t DECLDIR nvmlInit_v2(void);", nothing of a line that declares no function.
std::string function_in(const std::string& line) {
  const auto mark = line.find("DECLDIR");
  const auto begin = line.find("nvml", mark == std::string::npos ? line.size() : mark);
  if (begin == std::string::npos) return {};
  const auto end = line.find_first_of(" (", begin);
  return line.substr(begin, end == std::string::npos ? end : end - begin);
}

std::set<std::string> functions_of_the_header() {
  std::set<std::string> names;
  std::ifstream header(NVML_HEADER);
  for (std::string line; std::getline(header, line);) {
    if (const auto name = function_in(line); !name.empty()) names.insert(name);
  }
  return names;
}

TEST(EntryPoints, Every_function_that_nvml_h_declares_is_exported) {
  const Library library(example_machine());
  const auto names = functions_of_the_header();
  EXPECT_GT(names.size(), 400u);
  for (const auto& name : names) EXPECT_NE(library.symbol(name.c_str()), nullptr) << name;
}

TEST(EntryPoints, A_function_that_is_not_implemented_says_not_supported) {
  const Library library(example_machine());
  const auto device = handle_at(library, 0);
  char serial[NVML_DEVICE_SERIAL_BUFFER_SIZE];
  EXPECT_EQ(NVML(library, nvmlDeviceGetSerial)(device, serial, sizeof serial), NVML_ERROR_NOT_SUPPORTED);
  nvmlEventSet_t events = nullptr;
  EXPECT_EQ(NVML(library, nvmlEventSetCreate)(&events), NVML_ERROR_NOT_SUPPORTED);
}

TEST(EntryPoints, Nothing_but_the_interface_is_exported) {
  const Library library(example_machine());
  EXPECT_EQ(library.symbol("_ZN6dryfit13parse_machineESt17basic_string_viewIcSt11char_traitsIcEE"), nullptr);
  EXPECT_EQ(library.symbol("_ZN6dryfit4nvml15current_machineEv"), nullptr);
}

}  // namespace
}  // namespace dryfit::nvml
