// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "smi/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace dryfit::smi {
namespace {

constexpr const char* kRule =
    "+-----------------------------------------------------------------------------------------+\n";
constexpr const char* kColumns =
    "|-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|                                         |                        |               MIG M. |\n"
    "|=========================================+========================+======================|\n";
constexpr const char* kBetween =
    "+-----------------------------------------+------------------------+----------------------+\n";
constexpr const char* kProcesses =
    "| Processes:                                                                              |\n"
    "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |\n"
    "|        ID   ID                                                               Usage      |\n"
    "|=========================================================================================|\n"
    "|  No running processes found                                                             |\n";

std::string value(const Gpu& gpu, std::string_view field, std::string_view unit = "") {
  const auto found = gpu.find(field);
  return found == gpu.end() || found->second == kUnknown ? "N/A" : fmt::format("{}{}", found->second, unit);
}

std::string on_or_off(const Gpu& gpu, std::string_view field) {
  const auto state = value(gpu, field);
  return state == "N/A" ? state : state == "Enabled" ? "On" : "Off";
}

/// Whole watts, as the table shows them.
std::string watts(const Gpu& gpu, std::string_view field) {
  const auto number = value(gpu, field);
  return number == "N/A" ? number : number.substr(0, number.find('.')) + "W";
}

std::string rows(const Gpu& gpu) {
  const auto power = fmt::format("{} / {}", watts(gpu, "power.draw"), watts(gpu, "power.limit"));
  const auto memory = fmt::format("{} / {:>8}", value(gpu, "memory.used", "MiB"), value(gpu, "memory.total", "MiB"));
  const auto ecc = value(gpu, "ecc.mode.current") == "Enabled" ? "0" : "Off";
  return fmt::format("| {:>3}  {:<27.27}{:>7} | {:>18} {:>3} | {:>20} |\n", value(gpu, "index"), value(gpu, "name"),
                     on_or_off(gpu, "persistence_mode"), value(gpu, "pci.bus_id"), on_or_off(gpu, "display_active"),
                     ecc) +
         fmt::format("| {:>3}  {:>4}    {:<4}{:>22} | {:>22} | {:>8} {:>11} |\n", value(gpu, "fan.speed", "%"),
                     value(gpu, "temperature.gpu", "C"), value(gpu, "pstate"), power, memory,
                     value(gpu, "utilization.gpu", "%"), value(gpu, "compute_mode")) +
         fmt::format("| {:39} | {:22} | {:>20} |\n", "", "", value(gpu, "mig.mode.current"));
}

std::string of_first(std::span<const Gpu> gpus, std::string_view field) {
  return gpus.empty() ? "N/A" : value(gpus.front(), field);
}

std::string clock_time() {
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %d %H:%M:%S %Y", &local);
  return text;
}

std::string line(int depth, std::string_view key, std::string_view text) {
  return fmt::format("{:{}}{:<{}}: {}\n", "", depth * 4, key, 50 - depth * 4, text);
}

std::string details_of(const Gpu& gpu) {
  std::string text = fmt::format("\nGPU {}\n", value(gpu, "pci.bus_id"));
  text += line(1, "Product Name", value(gpu, "name")) + line(1, "Display Active", value(gpu, "display_active")) +
          line(1, "Persistence Mode", value(gpu, "persistence_mode")) + "    MIG Mode\n" +
          line(2, "Current", value(gpu, "mig.mode.current")) + line(1, "Serial Number", value(gpu, "serial")) +
          line(1, "GPU UUID", value(gpu, "uuid")) + line(1, "VBIOS Version", value(gpu, "vbios_version")) +
          line(1, "Fan Speed", value(gpu, "fan.speed", " %")) + line(1, "Performance State", value(gpu, "pstate"));
  text += "    FB Memory Usage\n" + line(2, "Total", value(gpu, "memory.total", " MiB")) +
          line(2, "Reserved", value(gpu, "memory.reserved", " MiB")) +
          line(2, "Used", value(gpu, "memory.used", " MiB")) + line(2, "Free", value(gpu, "memory.free", " MiB"));
  text += line(1, "Compute Mode", value(gpu, "compute_mode")) + "    Utilization\n" +
          line(2, "Gpu", value(gpu, "utilization.gpu", " %")) +
          line(2, "Memory", value(gpu, "utilization.memory", " %")) + "    Temperature\n" +
          line(2, "GPU Current Temp", value(gpu, "temperature.gpu", " C")) + "    GPU Power Readings\n" +
          line(2, "Power Draw", value(gpu, "power.draw", " W")) +
          line(2, "Current Power Limit", value(gpu, "power.limit", " W")) + line(1, "Processes", "None");
  return text;
}

}  // namespace

std::string table(std::span<const Gpu> gpus, const std::string& cuda) {
  const auto driver = of_first(gpus, "driver_version");
  std::string text = clock_time() + "\n" + kRule;
  text += fmt::format("| NVIDIA-SMI {:<22} Driver Version: {:<14} CUDA Version: {:<8} |\n", driver, driver, cuda);
  text += kColumns;
  for (const auto& gpu : gpus) text += rows(gpu) + kBetween;
  return text + "\n" + kRule + kProcesses + kRule;
}

std::string list(std::span<const Gpu> gpus) {
  std::string text;
  for (const auto& gpu : gpus) {
    text += fmt::format("GPU {}: {} (UUID: {})\n", value(gpu, "index"), value(gpu, "name"), value(gpu, "uuid"));
  }
  return text;
}

std::string details(std::span<const Gpu> gpus, const std::string& cuda) {
  std::string text = "\n==============NVSMI LOG==============\n\n" + line(0, "Timestamp", clock_time()) +
                     line(0, "Driver Version", of_first(gpus, "driver_version")) + line(0, "CUDA Version", cuda) +
                     "\n" + line(0, "Attached GPUs", std::to_string(gpus.size()));
  for (const auto& gpu : gpus) text += details_of(gpu);
  return text + "\n";
}

std::string topology(std::span<const Gpu> gpus) {
  std::string text = "\t";
  for (const auto& gpu : gpus) text += fmt::format("GPU{}\t", value(gpu, "index"));
  text += "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (const auto& gpu : gpus) {
    text += fmt::format("GPU{}\t", value(gpu, "index"));
    for (const auto& other : gpus) text += &gpu == &other ? " X \t" : "SYS\t";
    text += "\t\tN/A\t\tN/A\n";
  }
  return text +
         "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe and the interconnect between NUMA nodes\n";
}

}  // namespace dryfit::smi
