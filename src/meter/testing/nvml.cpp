// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// A libnvidia-ml.so.1 for tests. On every call it reads the file that DRYFIT_TESTING_NVML names, so that a test decides
// what NVML reports over time. Without the file there is no driver. Its lines:
//
//     card NAME               one for each card, first of all
//     process CARD PID BYTES  a process on the card of that number, from 0
//     account CARD PID BYTES  the peak that accounting mode kept for a process
//
// Each process that it reported is a line "PID BYTES" of the file with ".seen" behind its name, so that a test can wait
// for a sample rather than for a time.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

namespace {

struct Entry {
  std::size_t card;
  unsigned pid;
  unsigned long long bytes;
};

struct State {
  bool there = false;
  std::vector<std::string> cards;
  std::vector<Entry> processes, accounts;
};

State current_state() {
  State result;
  const char* path = std::getenv("DRYFIT_TESTING_NVML");
  std::ifstream file(path ? path : "");
  result.there = static_cast<bool>(file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind >> std::ws;
    Entry entry{};
    if (kind == "card") {
      std::string name;
      std::getline(words, name);
      result.cards.push_back(name);
    } else if (words >> entry.card >> entry.pid >> entry.bytes) {
      (kind == "process" ? result.processes : result.accounts).push_back(entry);
    }
  }
  return result;
}

void note_seen(const std::vector<Entry>& reported) {
  const char* path = std::getenv("DRYFIT_TESTING_NVML");
  if (!path || reported.empty()) return;
  std::ofstream seen(std::string(path) + ".seen", std::ios::app);
  for (const auto& each : reported) seen << each.pid << ' ' << each.bytes << std::endl;
}

nvmlDevice_t handle_of(std::size_t card) { return reinterpret_cast<nvmlDevice_t>(card + 1); }
std::size_t card_of(nvmlDevice_t handle) { return reinterpret_cast<std::size_t>(handle) - 1; }

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return current_state().there ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED; }

nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }

const char* nvmlErrorString(nvmlReturn_t) { return "Driver Not Loaded"; }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = static_cast<unsigned>(current_state().cards.size());
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  *device = handle_of(index);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  std::snprintf(name, length, "%s", current_state().cards.at(card_of(device)).c_str());
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* count,
                                                     nvmlProcessInfo_t* infos) {
  std::vector<Entry> here;
  for (const auto& entry : current_state().processes) {
    if (entry.card == card_of(device)) here.push_back(entry);
  }
  const auto room = *count;
  *count = static_cast<unsigned>(here.size());
  if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::size_t i = 0; i < here.size(); ++i) {
    infos[i] = {};
    infos[i].pid = here[i].pid;
    infos[i].usedGpuMemory = here[i].bytes;
  }
  note_seen(here);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAccountingStats(nvmlDevice_t device, unsigned int pid, nvmlAccountingStats_t* stats) {
  for (const auto& entry : current_state().accounts) {
    if (entry.card != card_of(device) || entry.pid != pid) continue;
    *stats = {};
    stats->maxMemoryUsage = entry.bytes;
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
