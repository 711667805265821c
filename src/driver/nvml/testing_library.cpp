// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/testing_library.h"

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace dryfit::nvml {
namespace {

std::string make_folder() {
  std::string pattern = testing::TempDir() + "/nvml-XXXXXX";
  return mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

Card card(std::string id, std::string name, ComputeCapability capability, Bytes memory, std::map<int, int> attributes) {
  Card result;
  result.id = std::move(id);
  result.name = std::move(name);
  result.architecture = "any";
  result.compute_capability = capability;
  result.total_memory = memory;
  result.attributes = std::move(attributes);
  return result;
}

std::map<int, int> attributes(int multiprocessors, int clock, int memory_clock, int bus_width, int ecc) {
  return {{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors},
          {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, clock},
          {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, memory_clock},
          {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, ecc},
          {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, bus_width}};
}

}  // namespace

Library::Library(const Machine& machine) : Library(std::optional(to_text(machine))) {}

Library::Library(const std::optional<std::string>& machine_text) : folder_(make_folder()) {
  const std::string machine_file = folder_ + "/machine";
  unsetenv("DRYFIT_MACHINE");
  if (machine_text) {
    std::ofstream(machine_file) << *machine_text;
    setenv("DRYFIT_MACHINE", machine_file.c_str(), 1);
  }
  const std::string copy = folder_ + "/libnvidia-ml.so.1";
  std::filesystem::copy_file(NVML_LIBRARY, copy);
  handle_ = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle_, nullptr) << dlerror();
}

Library::~Library() {
  unsetenv("DRYFIT_MACHINE");
  std::filesystem::remove_all(folder_);
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

Machine example_machine() {
  Machine machine;
  machine.driver_version = 12040;
  machine.cards = {
      card("rtx-3060-12gb", "NVIDIA GeForce RTX 3060", {8, 6}, {12622168064}, attributes(28, 1777000, 7501000, 192, 0)),
      card("a100-40gb", "NVIDIA A100-SXM4-40GB", {8, 0}, {42474471424}, attributes(108, 1410000, 1215000, 5120, 1)),
      card("h100-80gb", "NVIDIA H100 80GB HBM3", {9, 0}, {84943044608}, attributes(132, 1980000, 2619000, 5120, 1)),
      card("a100-40gb-mig-3g-20gb", "NVIDIA A100-SXM4-40GB MIG 3g.20gb", {8, 0}, {20937965568},
           attributes(42, 1410000, 1215000, 2560, 1)),
  };
  return machine;
}

nvmlDevice_t handle_at(const Library& library, unsigned int index) {
  EXPECT_EQ(NVML(library, nvmlInit_v2)(), NVML_SUCCESS);
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(NVML(library, nvmlDeviceGetHandleByIndex_v2)(index, &device), NVML_SUCCESS);
  return device;
}

}  // namespace dryfit::nvml
