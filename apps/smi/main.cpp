// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// nvidia-smi on the PATH of a program under `dryfit run`: the simulated GPUs, in the form that scripts parse.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "smi/arguments.h"
#include "smi/gpus.h"
#include "smi/query.h"
#include "smi/table.h"

namespace dryfit::smi {
namespace {

/// A program that never stops looping would outlive what it watches.
constexpr int kMostRounds = 100;
constexpr int kNoDriver = 9;
constexpr int kNoSuchGpu = 6;
constexpr int kWrongUsage = 2;

bool is_meant(const Gpu& gpu, const std::string& only) {
  const auto is = [&](const char* field) { return gpu.contains(field) && gpu.find(field)->second == only; };
  return only.empty() || is("index") || is("uuid") || is("pci.bus_id");
}

std::string output(const Arguments& arguments, std::span<const Gpu> gpus, const std::string& cuda) {
  switch (arguments.form) {
    case Form::list:
      return list(gpus);
    case Form::details:
      return details(gpus, cuda);
    case Form::gpus:
      return query_gpus(gpus, arguments);
    case Form::processes:
      return query_processes(arguments);
    case Form::topology:
      return topology(gpus);
    case Form::table:
    case Form::help:
      break;
  }
  return table(gpus, cuda);
}

int round(const Nvml& nvml, const Arguments& arguments) {
  auto gpus = read_gpus(nvml);
  std::erase_if(gpus, [&](const Gpu& gpu) { return !is_meant(gpu, arguments.only); });
  if (gpus.empty()) {
    std::puts("No devices were found");
    return kNoSuchGpu;
  }
  const auto text = output(arguments, gpus, cuda_version(nvml));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return text.starts_with("Field ") ? kWrongUsage : 0;
}

int run(std::span<const std::string> words) {
  const auto arguments = parse(words);
  if (!arguments) {
    std::puts("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n");
    return kWrongUsage;
  }
  if (arguments->form == Form::help) {
    std::puts(
        "nvidia-smi [-L | -q | topo -m | --query-gpu=FIELDS --format=csv[,noheader][,nounits]] [-i ID] [-l SECONDS]");
    return 0;
  }
  Nvml nvml;
  if (!nvml.open()) {
    std::puts("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.");
    return kNoDriver;
  }
  int code = round(nvml, *arguments);
  for (int i = 1; arguments->interval && code == 0 && i < kMostRounds; ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(*arguments->interval));
    code = round(nvml, *arguments);
  }
  return code;
}

}  // namespace
}  // namespace dryfit::smi

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  return dryfit::smi::run(words);
}
