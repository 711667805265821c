// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

// Declares every version of every function under its own name.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

namespace dryfit::meter {
namespace {

constexpr const char* kWhere = "Run the command on a machine with an NVIDIA driver.";

constexpr auto kNotReported = static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE);

/// Null: this release of the driver has no such function.
template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

struct Functions {
  decltype(&nvmlInit_v2) init;
  decltype(&nvmlShutdown) shutdown;
  decltype(&nvmlErrorString) error_string;
  decltype(&nvmlDeviceGetCount_v2) count;
  decltype(&nvmlDeviceGetHandleByIndex_v2) handle;
  decltype(&nvmlDeviceGetName) name;
  decltype(&nvmlDeviceGetComputeRunningProcesses_v3) processes;
  decltype(&nvmlDeviceGetComputeRunningProcesses) old_processes;
  decltype(&nvmlDeviceGetMaxMigDeviceCount) most_parts;
  decltype(&nvmlDeviceGetMigDeviceHandleByIndex) part;
  decltype(&nvmlDeviceGetAccountingStats) accounting;

  explicit Functions(void* library) {
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlShutdown", shutdown);
    find(library, "nvmlErrorString", error_string);
    find(library, "nvmlDeviceGetCount_v2", count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", handle);
    find(library, "nvmlDeviceGetName", name);
    find(library, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
    // The second version fills the same structure.
    if (!processes) find(library, "nvmlDeviceGetComputeRunningProcesses_v2", processes);
    find(library, "nvmlDeviceGetComputeRunningProcesses", old_processes);
    find(library, "nvmlDeviceGetMaxMigDeviceCount", most_parts);
    find(library, "nvmlDeviceGetMigDeviceHandleByIndex", part);
    find(library, "nvmlDeviceGetAccountingStats", accounting);
  }

  bool complete() const {
    return init && shutdown && error_string && count && handle && name && (processes || old_processes);
  }
};

/// Appends what a function of NVML lists; nothing when it refuses.
template <class Info, class List>
void add_processes(std::size_t device, nvmlDevice_t handle, List list, std::vector<GpuProcess>& found) {
  constexpr int kTries = 4;
  std::vector<Info> infos(16);
  for (int i = 0; i < kTries; ++i) {
    auto count = static_cast<unsigned>(infos.size());
    const auto answer = list(handle, &count, infos.data());
    if (answer == NVML_ERROR_INSUFFICIENT_SIZE) {
      infos.resize(infos.size() * 2 + count);
      continue;
    }
    if (answer != NVML_SUCCESS) return;
    for (unsigned k = 0; k < count; ++k) {
      const auto& info = infos[k];
      if (info.usedGpuMemory == kNotReported) continue;
      found.push_back({device, static_cast<pid_t>(info.pid), Bytes{info.usedGpuMemory}});
    }
    return;
  }
}

}  // namespace

struct Nvml::State {
  State(void* its_library, const Functions& its_functions) : library(its_library), functions(its_functions) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    functions.shutdown();
    ::dlclose(library);
  }

  void find_devices() {
    unsigned count = 0;
    if (functions.count(&count) != NVML_SUCCESS) return;
    for (unsigned i = 0; i < count; ++i) {
      nvmlDevice_t handle = nullptr;
      if (functions.handle(i, &handle) == NVML_SUCCESS && !add_parts(handle)) handles.push_back(handle);
    }
  }

  /// False: the card is not divided.
  bool add_parts(nvmlDevice_t card) {
    unsigned most = 0;
    if (!functions.most_parts || !functions.part || functions.most_parts(card, &most) != NVML_SUCCESS) return false;
    const auto before = handles.size();
    for (unsigned i = 0; i < most; ++i) {
      nvmlDevice_t part = nullptr;
      if (functions.part(card, i, &part) == NVML_SUCCESS) handles.push_back(part);
    }
    return handles.size() > before;
  }

  void* library;
  Functions functions;
  std::vector<nvmlDevice_t> handles;
};

Nvml::Nvml(std::unique_ptr<State> state) : state_(std::move(state)) {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

Result<Nvml> Nvml::open(const std::string& file) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"NVML cannot be loaded: " + std::string(::dlerror()), kWhere};
  const Functions functions(library);
  if (!functions.complete()) {
    ::dlclose(library);
    return Error{file + " lacks NVML functions", "Use driver 450 or newer."};
  }
  if (const auto answer = functions.init(); answer != NVML_SUCCESS) {
    const std::string why = functions.error_string(answer);
    ::dlclose(library);
    return Error{"NVML cannot be initialized: " + why, kWhere};
  }
  auto state = std::make_unique<State>(library, functions);
  state->find_devices();
  if (state->handles.empty()) return Error{"NVML found no GPU", kWhere};
  return Nvml(std::move(state));
}

std::size_t Nvml::devices() const { return state_->handles.size(); }

std::string Nvml::name(std::size_t device) const {
  std::array<char, NVML_DEVICE_NAME_V2_BUFFER_SIZE> text{};
  const auto answer =
      state_->functions.name(state_->handles.at(device), text.data(), static_cast<unsigned>(text.size()));
  return answer == NVML_SUCCESS ? text.data() : "";
}

std::vector<GpuProcess> Nvml::processes() const {
  const auto& functions = state_->functions;
  std::vector<GpuProcess> found;
  for (std::size_t device = 0; device < devices(); ++device) {
    const auto handle = state_->handles[device];
    if (functions.processes) {
      add_processes<nvmlProcessInfo_t>(device, handle, functions.processes, found);
    } else {
      add_processes<nvmlProcessInfo_v1_t>(device, handle, functions.old_processes, found);
    }
  }
  return found;
}

std::optional<Bytes> Nvml::accounted_peak(std::size_t device, pid_t pid) const {
  const auto accounting = state_->functions.accounting;
  nvmlAccountingStats_t stats{};
  const bool reported =
      accounting && accounting(state_->handles.at(device), static_cast<unsigned>(pid), &stats) == NVML_SUCCESS;
  if (!reported || stats.maxMemoryUsage == 0 || stats.maxMemoryUsage == kNotReported) return std::nullopt;
  return Bytes{stats.maxMemoryUsage};
}

}  // namespace dryfit::meter
