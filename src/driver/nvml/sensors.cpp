// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about clocks, power, temperature and utilisation.
//
// Note [Sensors of a simulated card]: programs poll these for their logs and would stop if a card of that kind
// refused. Clocks are the card's; the rest are constants of an idle card, and no verdict depends on them.
#include <cuda.h>

#include "driver/nvml/chip.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr unsigned int kIdleMilliwatts = 30'000;
constexpr unsigned int kPowerLimitMilliwatts = 300'000;
constexpr unsigned int kLowestPowerLimitMilliwatts = 100'000;
constexpr unsigned int kIdleCelsius = 40;
constexpr unsigned int kSamplingPeriodMicroseconds = 167'000;

struct Threshold {
  nvmlTemperatureThresholds_t type;
  unsigned int celsius;
};

constexpr Threshold kThresholds[] = {
    {NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, 95},
    {NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, 92},
    {NVML_TEMPERATURE_THRESHOLD_GPU_MAX, 87},
};

unsigned int megahertz(const Card& card, CUdevice_attribute attribute) {
  return static_cast<unsigned int>(card.attribute(attribute)) / 1000;
}

nvmlReturn_t clock_of(nvmlDevice_t device, nvmlClockType_t type, unsigned int* clock) {
  return with_device(device, [&](const Device& it) {
    if (clock == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    switch (type) {
      case NVML_CLOCK_GRAPHICS:
      case NVML_CLOCK_SM:
        *clock = megahertz(*it.card, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        return NVML_SUCCESS;
      case NVML_CLOCK_MEM:
        *clock = megahertz(*it.card, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        return NVML_SUCCESS;
      default:
        return NVML_ERROR_NOT_SUPPORTED;
    }
  });
}

nvmlReturn_t temperature_of(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int* celsius) {
  if (sensor != NVML_TEMPERATURE_GPU) return not_supported(device);
  return answer(device, celsius, kIdleCelsius);
}

nvmlReturn_t engine_at_rest(nvmlDevice_t device, unsigned int* utilization, unsigned int* period) {
  return with_device(device, [&](const Device&) {
    if (utilization == nullptr || period == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *utilization = 0;
    *period = kSamplingPeriodMicroseconds;
    return NVML_SUCCESS;
  });
}

unsigned int fans_of(const Card& card) { return is_geforce(card) ? 1 : 0; }

/// Cards for servers have no fan of their own.
nvmlReturn_t fan_speed(nvmlDevice_t device, unsigned int fan, unsigned int* percent) {
  return with_device(device, [&](const Device& it) {
    if (percent == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (fans_of(*it.card) == 0) return NVML_ERROR_NOT_SUPPORTED;
    if (fan >= fans_of(*it.card)) return NVML_ERROR_INVALID_ARGUMENT;
    *percent = 0;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int* clock) {
  return clock_of(device, type, clock);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int* clock) {
  return clock_of(device, type, clock);
}

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id, unsigned int* clock) {
  return id == NVML_CLOCK_ID_CURRENT ? clock_of(device, type, clock) : not_supported(device);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int* milliwatts) {
  return answer(device, milliwatts, kIdleMilliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return answer(device, mode, NVML_FEATURE_ENABLED);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int* milliwatts) {
  return answer(device, milliwatts, kPowerLimitMilliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned int* milliwatts) {
  return answer(device, milliwatts, kPowerLimitMilliwatts);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int* milliwatts) {
  return answer(device, milliwatts, kPowerLimitMilliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned int* lowest,
                                                          unsigned int* highest) {
  return with_device(device, [&](const Device&) {
    if (lowest == nullptr || highest == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *lowest = kLowestPowerLimitMilliwatts;
    *highest = kPowerLimitMilliwatts;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long* millijoules) {
  return answer(device, millijoules, 0);
}

nvmlReturn_t nvmlDeviceGetPowerSource(nvmlDevice_t device, nvmlPowerSource_t* source) {
  return answer(device, source, NVML_POWER_SOURCE_AC);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int* celsius) {
  return temperature_of(device, sensor, celsius);
}

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t* temperature) {
  return with_device(device, [&](const Device&) {
    if (temperature == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (temperature->version != nvmlTemperature_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    unsigned int celsius = 0;
    const nvmlReturn_t result = temperature_of(device, temperature->sensorType, &celsius);
    if (result == NVML_SUCCESS) temperature->temperature = static_cast<int>(celsius);
    return result;
  });
}

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t type,
                                               unsigned int* celsius) {
  for (const auto& threshold : kThresholds) {
    if (threshold.type == type) return answer(device, celsius, threshold.celsius);
  }
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int* percent) { return fan_speed(device, 0, percent); }

nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int* percent) {
  return fan_speed(device, fan, percent);
}

nvmlReturn_t nvmlDeviceGetNumFans(nvmlDevice_t device, unsigned int* fans) {
  return answer(device, fans, [](const Device& it) { return fans_of(*it.card); });
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  return answer(device, utilization, nvmlUtilization_t{.gpu = 0, .memory = 0});
}

nvmlReturn_t nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned int* utilization, unsigned int* period) {
  return engine_at_rest(device, utilization, period);
}

nvmlReturn_t nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned int* utilization, unsigned int* period) {
  return engine_at_rest(device, utilization, period);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* state) {
  return answer(device, state, NVML_PSTATE_0);
}

nvmlReturn_t nvmlDeviceGetPowerState(nvmlDevice_t device, nvmlPstates_t* state) {
  return answer(device, state, NVML_PSTATE_0);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* reasons) {
  return answer(device, reasons, nvmlClocksEventReasonNone);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long* reasons) {
  return answer(device, reasons, nvmlClocksEventReasonNone);
}

}  // extern "C"
