// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "smi/gpus.h"

#include <fmt/format.h>

#include <ctime>

namespace dryfit::smi {
namespace {

template <class Number>
std::string number(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : kUnknown;
}

std::string or_unknown(const std::string& text) { return text.empty() ? kUnknown : text; }

std::string enabled(const std::optional<nvmlEnableState_t>& state) {
  if (!state) return kUnknown;
  return *state == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled";
}

std::string mebibytes(unsigned long long bytes) { return std::to_string(bytes >> 20); }

std::string milliwatts(const std::optional<unsigned>& value) {
  return value ? fmt::format("{:.2f}", *value / 1000.0) : kUnknown;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S.000", &local);
  return text;
}

void add_memory(const Nvml& nvml, nvmlDevice_t device, Gpu& gpu) {
  const auto memory = nvml.ask<nvmlMemory_t>("nvmlDeviceGetMemoryInfo", device);
  if (!memory) return;
  gpu["memory.total"] = mebibytes(memory->total);
  gpu["memory.used"] = mebibytes(memory->used);
  gpu["memory.free"] = mebibytes(memory->free);
  gpu["memory.reserved"] = mebibytes(memory->total - memory->used - memory->free);
}

void add_identity(const Nvml& nvml, nvmlDevice_t device, Gpu& gpu) {
  gpu["name"] = gpu["gpu_name"] = or_unknown(nvml.text("nvmlDeviceGetName", device));
  gpu["uuid"] = gpu["gpu_uuid"] = or_unknown(nvml.text("nvmlDeviceGetUUID", device));
  gpu["serial"] = gpu["gpu_serial"] = or_unknown(nvml.text("nvmlDeviceGetSerial", device));
  gpu["vbios_version"] = or_unknown(nvml.text("nvmlDeviceGetVbiosVersion", device));
  if (const auto pci = nvml.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", device)) {
    gpu["pci.bus_id"] = gpu["gpu_bus_id"] = pci->busId;
  }
  int major = 0;
  if (const auto minor = nvml.ask<int>("nvmlDeviceGetCudaComputeCapability", device, &major)) {
    gpu["compute_cap"] = fmt::format("{}.{}", major, *minor);
  }
}

void add_sensors(const Nvml& nvml, nvmlDevice_t device, Gpu& gpu) {
  const auto use = nvml.ask<nvmlUtilization_t>("nvmlDeviceGetUtilizationRates", device);
  gpu["utilization.gpu"] = use ? std::to_string(use->gpu) : kUnknown;
  gpu["utilization.memory"] = use ? std::to_string(use->memory) : kUnknown;
  gpu["temperature.gpu"] = number(nvml.ask<unsigned>("nvmlDeviceGetTemperature", device, NVML_TEMPERATURE_GPU));
  gpu["fan.speed"] = number(nvml.ask<unsigned>("nvmlDeviceGetFanSpeed", device));
  gpu["power.draw"] = milliwatts(nvml.ask<unsigned>("nvmlDeviceGetPowerUsage", device));
  gpu["power.limit"] = milliwatts(nvml.ask<unsigned>("nvmlDeviceGetPowerManagementLimit", device));
  const auto state = nvml.ask<nvmlPstates_t>("nvmlDeviceGetPerformanceState", device);
  gpu["pstate"] = state ? fmt::format("P{}", static_cast<int>(*state)) : kUnknown;
  const std::pair<const char*, nvmlClockType_t> clocks[] = {
      {"graphics", NVML_CLOCK_GRAPHICS}, {"sm", NVML_CLOCK_SM}, {"mem", NVML_CLOCK_MEM}, {"video", NVML_CLOCK_VIDEO}};
  for (const auto& [name, type] : clocks) {
    const auto current = number(nvml.ask<unsigned>("nvmlDeviceGetClockInfo", device, type));
    gpu[fmt::format("clocks.{}", name)] = gpu[fmt::format("clocks.current.{}", name)] = current;
    gpu[fmt::format("clocks.max.{}", name)] = number(nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", device, type));
  }
}

void add_modes(const Nvml& nvml, nvmlDevice_t device, Gpu& gpu) {
  gpu["display_mode"] = enabled(nvml.ask<nvmlEnableState_t>("nvmlDeviceGetDisplayMode", device));
  gpu["display_active"] = enabled(nvml.ask<nvmlEnableState_t>("nvmlDeviceGetDisplayActive", device));
  gpu["persistence_mode"] = enabled(nvml.ask<nvmlEnableState_t>("nvmlDeviceGetPersistenceMode", device));
  nvmlEnableState_t current{};
  const auto pending = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetEccMode", device, &current);
  gpu["ecc.mode.current"] = pending ? enabled(current) : kUnknown;
  gpu["ecc.mode.pending"] = enabled(pending);
  unsigned mig = 0;
  const bool has_mig = nvml.ask<unsigned>("nvmlDeviceGetMigMode", device, &mig).has_value();
  gpu["mig.mode.current"] = !has_mig ? kUnknown : mig ? "Enabled" : "Disabled";
  gpu["compute_mode"] = "Default";
}

}  // namespace

std::vector<Gpu> read_gpus(const Nvml& nvml) {
  std::vector<Gpu> gpus;
  const auto count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    const auto device = nvml.ask<nvmlDevice_t>("nvmlDeviceGetHandleByIndex_v2", i);
    if (!device) continue;
    Gpu gpu{{"index", std::to_string(i)}, {"count", std::to_string(count)}, {"timestamp", now()}};
    gpu["driver_version"] = or_unknown(nvml.text("nvmlSystemGetDriverVersion"));
    add_identity(nvml, *device, gpu);
    add_memory(nvml, *device, gpu);
    add_sensors(nvml, *device, gpu);
    add_modes(nvml, *device, gpu);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::string cuda_version(const Nvml& nvml) {
  const auto version = nvml.ask<int>("nvmlSystemGetCudaDriverVersion_v2").value_or(0);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string unit_of(const std::string& field) {
  if (field.starts_with("memory.")) return "MiB";
  if (field.starts_with("utilization.") || field == "fan.speed") return "%";
  if (field.starts_with("power.")) return "W";
  if (field.starts_with("clocks.")) return "MHz";
  return "";
}

}  // namespace dryfit::smi
