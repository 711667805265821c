// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "card/identity.h"
#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

constexpr unsigned int kSlicedGpu = 3;

class MigTest : public testing::Test {
 protected:
  nvmlDevice_t slice() {
    nvmlDevice_t found = nullptr;
    const auto by_index = NVML(library_, nvmlDeviceGetMigDeviceHandleByIndex);
    EXPECT_EQ(by_index(handle_at(library_, kSlicedGpu), 0, &found), NVML_SUCCESS);
    return found;
  }

  const Library library_{example_machine()};
};

TEST_F(MigTest, Mode_is_on_for_a_slice_off_for_a_whole_A100_and_unknown_to_a_GeForce) {
  unsigned int current = 7, pending = 7;
  const auto mode = NVML(library_, nvmlDeviceGetMigMode);
  EXPECT_EQ(mode(handle_at(library_, kSlicedGpu), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, 1u);
  EXPECT_EQ(mode(handle_at(library_, 1), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, 0u);
  EXPECT_EQ(mode(handle_at(library_, 0), &current, &pending), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(MigTest, A_sliced_GPU_and_its_slice_lead_to_each_other) {
  nvmlDevice_t gpu = nullptr;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(slice(), &gpu), NVML_SUCCESS);
  EXPECT_EQ(gpu, handle_at(library_, kSlicedGpu));
  unsigned int is_slice = 7;
  EXPECT_EQ(NVML(library_, nvmlDeviceIsMigDeviceHandle)(slice(), &is_slice), NVML_SUCCESS);
  EXPECT_EQ(is_slice, 1u);
  EXPECT_EQ(NVML(library_, nvmlDeviceIsMigDeviceHandle)(gpu, &is_slice), NVML_SUCCESS);
  EXPECT_EQ(is_slice, 0u);
}

TEST_F(MigTest, A_slice_has_a_uuid_and_a_name_of_its_own) {
  char text[128] = "";
  EXPECT_EQ(NVML(library_, nvmlDeviceGetUUID)(slice(), text, sizeof text), NVML_SUCCESS);
  EXPECT_EQ(text, "MIG-" + device_uuid_text(kSlicedGpu));
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUID)(text, &found), NVML_SUCCESS);
  EXPECT_EQ(found, slice());
  EXPECT_EQ(NVML(library_, nvmlDeviceGetName)(slice(), text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "NVIDIA A100-SXM4-40GB MIG 3g.20gb");
  EXPECT_EQ(NVML(library_, nvmlDeviceGetName)(handle_at(library_, kSlicedGpu), text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "NVIDIA A100-SXM4-40GB");
}

TEST_F(MigTest, Attributes_are_those_of_the_slice_and_of_nothing_else) {
  nvmlDeviceAttributes_t attributes{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetAttributes_v2)(slice(), &attributes), NVML_SUCCESS);
  EXPECT_EQ(attributes.multiprocessorCount, 42u);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 3u);
  EXPECT_EQ(attributes.memorySizeMB, 19968u);
  const auto gpu = handle_at(library_, kSlicedGpu);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetAttributes_v2)(gpu, &attributes), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(MigTest, A_GPU_that_is_not_sliced_has_no_slices) {
  nvmlDevice_t found = nullptr;
  const auto by_index = NVML(library_, nvmlDeviceGetMigDeviceHandleByIndex);
  EXPECT_EQ(by_index(handle_at(library_, 1), 0, &found), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(by_index(handle_at(library_, kSlicedGpu), 1, &found), NVML_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace dryfit::nvml
