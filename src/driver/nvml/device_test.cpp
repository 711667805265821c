// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>

#include "card/identity.h"
#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

class DeviceTest : public testing::Test {
 protected:
  template <class T, class Function>
  T ask(Function function, unsigned int index) {
    T value{};
    EXPECT_EQ(function(handle_at(library_, index), &value), NVML_SUCCESS);
    return value;
  }

  template <class Function>
  std::string ask_text(Function function, unsigned int index) {
    char text[128] = "";
    EXPECT_EQ(function(handle_at(library_, index), text, sizeof text), NVML_SUCCESS);
    return text;
  }

  const Library library_{example_machine()};
};

TEST_F(DeviceTest, The_driver_version_is_that_of_the_machines_cuda_release) {
  handle_at(library_, 0);
  char text[80];
  int cuda = 0;
  EXPECT_EQ(NVML(library_, nvmlSystemGetDriverVersion)(text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "550.54.14");
  EXPECT_EQ(NVML(library_, nvmlSystemGetNVMLVersion)(text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "12.550.54.14");
  EXPECT_EQ(NVML(library_, nvmlSystemGetCudaDriverVersion_v2)(&cuda), NVML_SUCCESS);
  EXPECT_EQ(cuda, 12040);
}

TEST_F(DeviceTest, A_buffer_too_small_for_a_text_is_refused_and_left_alone) {
  const auto device = handle_at(library_, 0);
  char text[] = "untouched";
  EXPECT_EQ(NVML(library_, nvmlDeviceGetName)(device, text, 9), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_STREQ(text, "untouched");
  EXPECT_EQ(NVML(library_, nvmlDeviceGetName)(device, nullptr, 9), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(DeviceTest, The_name_of_this_process_is_known_and_that_of_no_process_is_not) {
  handle_at(library_, 0);
  char name[256];
  EXPECT_EQ(NVML(library_, nvmlSystemGetProcessName)(getpid(), name, sizeof name), NVML_SUCCESS);
  EXPECT_NE(std::strstr(name, "nvml_test"), nullptr) << name;
  EXPECT_EQ(NVML(library_, nvmlSystemGetProcessName)(0x7fffffff, name, sizeof name), NVML_ERROR_NOT_FOUND);
}

TEST_F(DeviceTest, A_card_is_found_by_its_index_its_uuid_and_its_bus_id) {
  const auto device = handle_at(library_, 2);
  const std::string uuid = ask_text(NVML(library_, nvmlDeviceGetUUID), 2);
  EXPECT_EQ(uuid, "GPU-" + device_uuid_text(2));
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUID)(uuid.c_str(), &found), NVML_SUCCESS);
  EXPECT_EQ(found, device);
  for (const char* bus_id : {"0000:03:00.0", "00000000:03:00.0", "0:3:0", "03:00.0"}) {
    found = nullptr;
    EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByPciBusId_v2)(bus_id, &found), NVML_SUCCESS) << bus_id;
    EXPECT_EQ(found, device) << bus_id;
  }
  EXPECT_EQ(ask<unsigned int>(NVML(library_, nvmlDeviceGetIndex), 2), 2u);
  EXPECT_EQ(ask<unsigned int>(NVML(library_, nvmlDeviceGetMinorNumber), 2), 2u);
}

TEST_F(DeviceTest, A_card_is_found_by_a_uuid_in_either_form) {
  const auto device = handle_at(library_, 1);
  nvmlUUID_t uuid{};
  uuid.version = nvmlUUID_v1;
  uuid.type = NVML_UUID_TYPE_BINARY;
  std::memcpy(uuid.value.bytes, device_uuid(1).data(), 16);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUIDV)(&uuid, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device);
  uuid.type = NVML_UUID_TYPE_ASCII;
  std::memcpy(uuid.value.str, ("GPU-" + device_uuid_text(1)).c_str(), 41);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUIDV)(&uuid, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device);
  uuid.version = 0;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUIDV)(&uuid, &found), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

TEST_F(DeviceTest, A_card_that_does_not_exist_is_not_found) {
  handle_at(library_, 0);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByIndex_v2)(4, &found), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByPciBusId_v2)("0000:09:00.0", &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByPciBusId_v2)("?", &found), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUID)("GPU-0", &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetHandleByUUID)("", &found), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(found, nullptr);
}

TEST_F(DeviceTest, A_handle_that_was_never_given_out_is_refused) {
  handle_at(library_, 0);
  unsigned int index = 0;
  for (std::uintptr_t number : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{3}, ~std::uintptr_t{0}}) {
    const auto device = reinterpret_cast<nvmlDevice_t>(number);
    EXPECT_EQ(NVML(library_, nvmlDeviceGetIndex)(device, &index), NVML_ERROR_INVALID_ARGUMENT) << number;
  }
}

TEST_F(DeviceTest, A_card_reports_its_chip) {
  EXPECT_EQ(ask_text(NVML(library_, nvmlDeviceGetName), 0), "NVIDIA GeForce RTX 3060");
  int major = 0, minor = 0;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetCudaComputeCapability)(handle_at(library_, 0), &major, &minor), NVML_SUCCESS);
  EXPECT_EQ(major * 10 + minor, 86);
  EXPECT_EQ(ask<nvmlDeviceArchitecture_t>(NVML(library_, nvmlDeviceGetArchitecture), 0), 7u);
  EXPECT_EQ(ask<nvmlDeviceArchitecture_t>(NVML(library_, nvmlDeviceGetArchitecture), 2), 9u);
  EXPECT_EQ(ask<nvmlBrandType_t>(NVML(library_, nvmlDeviceGetBrand), 0), NVML_BRAND_GEFORCE);
  EXPECT_EQ(ask<nvmlBrandType_t>(NVML(library_, nvmlDeviceGetBrand), 1), NVML_BRAND_NVIDIA);
  EXPECT_EQ(ask<unsigned int>(NVML(library_, nvmlDeviceGetNumGpuCores), 0), 3584u);
  EXPECT_EQ(ask<unsigned int>(NVML(library_, nvmlDeviceGetNumGpuCores), 1), 6912u);
  EXPECT_EQ(ask<unsigned int>(NVML(library_, nvmlDeviceGetMemoryBusWidth), 0), 192u);
}

TEST_F(DeviceTest, Error_correction_is_on_where_the_card_has_it_and_no_setting_of_a_GeForce) {
  nvmlEnableState_t current{}, pending{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetEccMode)(handle_at(library_, 1), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, NVML_FEATURE_ENABLED);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetEccMode)(handle_at(library_, 0), &current, &pending), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(DeviceTest, Bus_ids_are_spelled_short_and_long) {
  nvmlPciInfo_t info{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetPciInfo_v3)(handle_at(library_, 1), &info), NVML_SUCCESS);
  EXPECT_STREQ(info.busIdLegacy, "0000:02:00.0");
  EXPECT_STREQ(info.busId, "00000000:02:00.0");
  EXPECT_EQ(info.bus, 2u);
  EXPECT_EQ(info.pciDeviceId & 0xffff, 0x10deu);
}

TEST_F(DeviceTest, The_first_versions_of_PciInfo_leave_the_long_bus_id_alone) {
  nvmlPciInfo_t info{};
  std::memset(info.busId, 'x', sizeof info.busId);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetPciInfo_v2)(handle_at(library_, 1), &info), NVML_SUCCESS);
  EXPECT_STREQ(info.busIdLegacy, "0000:02:00.0");
  EXPECT_EQ(info.busId[0], 'x');
}

TEST_F(DeviceTest, Without_CUDA_in_the_process_all_memory_is_free) {
  const auto memory = ask<nvmlMemory_t>(NVML(library_, nvmlDeviceGetMemoryInfo), 0);
  EXPECT_EQ(memory.total, 12622168064u);
  EXPECT_EQ(memory.used, 0u);
  EXPECT_EQ(memory.free, memory.total);
}

TEST_F(DeviceTest, The_second_version_of_MemoryInfo_insists_on_its_version) {
  nvmlMemory_v2_t memory{};
  const auto device = handle_at(library_, 0);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMemoryInfo_v2)(device, &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  memory.version = nvmlMemory_v2;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMemoryInfo_v2)(device, &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, memory.reserved + memory.used + memory.free);
}

TEST_F(DeviceTest, Clocks_are_the_cards_in_megahertz) {
  unsigned int clock = 0;
  const auto device = handle_at(library_, 0);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &clock), NVML_SUCCESS);
  EXPECT_EQ(clock, 1777u);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetMaxClockInfo)(device, NVML_CLOCK_MEM, &clock), NVML_SUCCESS);
  EXPECT_EQ(clock, 7501u);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetClockInfo)(device, NVML_CLOCK_VIDEO, &clock), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(DeviceTest, Sensors_show_an_idle_card) {
  unsigned int celsius = 0;
  const auto device = handle_at(library_, 0);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &celsius), NVML_SUCCESS);
  EXPECT_GT(celsius, 20u);
  const auto utilization = ask<nvmlUtilization_t>(NVML(library_, nvmlDeviceGetUtilizationRates), 0);
  EXPECT_EQ(utilization.gpu + utilization.memory, 0u);
  EXPECT_LT(ask<unsigned int>(NVML(library_, nvmlDeviceGetPowerUsage), 0),
            ask<unsigned int>(NVML(library_, nvmlDeviceGetEnforcedPowerLimit), 0));
}

TEST_F(DeviceTest, No_process_runs_on_an_unused_card) {
  unsigned int count = 0;
  const auto device = handle_at(library_, 0);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, nullptr), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

TEST_F(DeviceTest, There_is_no_NVLink) {
  const auto device = handle_at(library_, 1);
  nvmlIntNvLinkDeviceType_t type{};
  nvmlEnableState_t active{};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetNvLinkRemoteDeviceType)(device, 0, &type), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetNvLinkState)(device, 0, &active), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(DeviceTest, A_Hopper_is_not_part_of_a_fabric_and_an_Ampere_does_not_support_the_query) {
  nvmlGpuFabricInfoV_t info{};
  info.version = nvmlGpuFabricInfo_v3;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetGpuFabricInfoV)(handle_at(library_, 1), &info), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetGpuFabricInfoV)(handle_at(library_, 2), &info), NVML_SUCCESS);
  EXPECT_EQ(info.state, NVML_GPU_FABRIC_STATE_NOT_SUPPORTED);
  EXPECT_EQ(info.version, nvmlGpuFabricInfo_v3);
}

TEST_F(DeviceTest, A_fabric_structure_of_the_second_version_is_not_written_past_its_end) {
  struct {
    nvmlGpuFabricInfo_v2_t info{};
    unsigned int guard = 0x5a5a5a5a;
  } box;
  box.info.version = nvmlGpuFabricInfo_v2;
  auto* info = reinterpret_cast<nvmlGpuFabricInfoV_t*>(&box.info);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetGpuFabricInfoV)(handle_at(library_, 2), info), NVML_SUCCESS);
  EXPECT_EQ(box.guard, 0x5a5a5a5au);
}

TEST_F(DeviceTest, Every_field_value_is_marked_as_not_supported) {
  nvmlFieldValue_t values[2] = {};
  values[0].fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION;
  values[1].fieldId = NVML_FI_DEV_NVLINK_LINK_COUNT;
  EXPECT_EQ(NVML(library_, nvmlDeviceGetFieldValues)(handle_at(library_, 1), 2, values), NVML_SUCCESS);
  EXPECT_EQ(values[0].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(values[1].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(DeviceTest, All_cards_hang_on_one_host_bridge) {
  nvmlGpuTopologyLevel_t level{};
  const auto first = handle_at(library_, 0), second = handle_at(library_, 1);
  EXPECT_EQ(NVML(library_, nvmlDeviceGetTopologyCommonAncestor)(first, second, &level), NVML_SUCCESS);
  EXPECT_EQ(level, NVML_TOPOLOGY_HOSTBRIDGE);
  unsigned int count = 0;
  const auto nearest = NVML(library_, nvmlDeviceGetTopologyNearestGpus);
  EXPECT_EQ(nearest(first, NVML_TOPOLOGY_HOSTBRIDGE, &count, nullptr), NVML_SUCCESS);
  ASSERT_EQ(count, 3u);
  nvmlDevice_t devices[3] = {};
  EXPECT_EQ(nearest(first, NVML_TOPOLOGY_HOSTBRIDGE, &count, devices), NVML_SUCCESS);
  EXPECT_EQ(devices[0], second);
}

TEST_F(DeviceTest, A_card_is_near_to_every_processor_this_process_may_use) {
  unsigned long processors[16] = {};
  EXPECT_EQ(NVML(library_, nvmlDeviceGetCpuAffinity)(handle_at(library_, 0), 16, processors), NVML_SUCCESS);
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (unsigned int cpu = 0; cpu < 16 * 64; ++cpu) {
    EXPECT_EQ((processors[cpu / 64] >> (cpu % 64)) & 1, CPU_ISSET(cpu, &allowed) ? 1u : 0u) << cpu;
  }
}

}  // namespace
}  // namespace dryfit::nvml
