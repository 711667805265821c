// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "driver/nvml/testing_cuda.h"
#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

/// In the test's libcuda.so.1 the machine's first card is CUDA device 1, and its second card CUDA device 0.
class WithCudaTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cuda_ = dlopen(TESTING_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL); }

  void SetUp() override {
    ASSERT_NE(cuda_, nullptr);
    use(0, 0);
    use(1, 0);
  }

  void use(int cuda_device, std::uint64_t bytes) {
    reinterpret_cast<decltype(&testing_set_used)>(dlsym(cuda_, "testing_set_used"))(cuda_device, bytes);
  }

  inline static void* cuda_ = nullptr;
  const Library library_{example_machine()};
};

TEST_F(WithCudaTest, Used_memory_is_what_CUDA_counts_for_the_same_card) {
  use(1, 500 << 20);
  nvmlMemory_t memory{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMemoryInfo)(handle_at(library_, 0), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.used, 500u << 20);
  EXPECT_EQ(memory.free, memory.total - memory.used);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMemoryInfo)(handle_at(library_, 1), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.used, 0u);
}

TEST_F(WithCudaTest, More_than_the_whole_memory_is_never_in_use) {
  use(1, ~std::uint64_t{0});
  nvmlMemory_t memory{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMemoryInfo)(handle_at(library_, 0), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.used, memory.total);
  EXPECT_EQ(memory.free, 0u);
}

TEST_F(WithCudaTest, A_list_of_processes_too_short_is_refused_with_the_length_it_needs) {
  use(1, 1 << 20);
  unsigned int count = 0;
  const auto device = handle_at(library_, 0);
  const auto processes = NVML(library_, nvmlDeviceGetComputeRunningProcesses_v3);
  EXPECT_EQ(processes(device, &count, nullptr), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(processes(device, &count, nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(WithCudaTest, This_process_is_listed_in_each_versions_structure) {
  use(1, 1 << 20);
  const auto device = handle_at(library_, 0);
  unsigned int count = 4;
  nvmlProcessInfo_v1_t first[4] = {};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetComputeRunningProcesses)(device, &count, first), NVML_SUCCESS);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(first[0].pid, static_cast<unsigned int>(getpid()));
  EXPECT_EQ(first[0].usedGpuMemory, 1u << 20);
  count = 4;
  nvmlProcessInfo_t third[4] = {};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, third), NVML_SUCCESS);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(third[0].usedGpuMemory, 1u << 20);
  EXPECT_EQ(third[0].gpuInstanceId, 0xffffffffu);
}

TEST_F(WithCudaTest, Peers_are_those_that_CUDA_names) {
  nvmlGpuP2PStatus_t status{};
  const auto peer_status = NVML(library_, nvmlDeviceGetP2PStatus);
  const auto first = handle_at(library_, 0), second = handle_at(library_, 1), hidden = handle_at(library_, 2);
  EXPECT_EQ(peer_status(first, second, NVML_P2P_CAPS_INDEX_READ, &status), NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_OK);
  EXPECT_EQ(peer_status(first, second, NVML_P2P_CAPS_INDEX_NVLINK, &status), NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(peer_status(first, hidden, NVML_P2P_CAPS_INDEX_READ, &status), NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED);
}

}  // namespace
}  // namespace dryfit::nvml
