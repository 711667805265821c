// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/module.h"

#include <algorithm>

#include "driver/cuda/driver.h"
#include "driver/cuda/occupancy.h"
#include "driver/cuda/read_file.h"
#include "driver/cuda/recorder.h"

namespace dryfit::driver {

namespace {

constexpr int kRegistersPerBlock = 65536;
constexpr int kRegisterGranule = 8;
constexpr int kMostThreads = 1024;
constexpr int kStaticSharedLimit = 49152;

/// The largest block whose registers fit, as the compiler's launch bounds allow.
int max_threads(const KernelFacts& facts) {
  if (facts.max_threads > 0) return std::min(kMostThreads, facts.max_threads);
  const int registers = (facts.registers + kRegisterGranule - 1) / kRegisterGranule * kRegisterGranule;
  if (registers == 0) return kMostThreads;
  const int warps = kRegistersPerBlock / (registers * kWarp) / kWarpGranule * kWarpGranule;
  return std::min(kMostThreads, warps * kWarp);
}

trace::ModuleId next_module_id() {
  static std::uint32_t last = 0;
  return trace::ModuleId{++last};
}

trace::KernelId next_kernel_id() {
  static std::uint32_t last = 0;
  return trace::KernelId{++last};
}

int architecture_of(ComputeCapability capability) { return capability.major * 10 + capability.minor; }

}  // namespace

Module::Module(const void* image, std::vector<char> owned, const Device& device, trace::NameId library)
    : owned_(std::move(owned)),
      image_(choose_image(image, device.card().compute_capability)),
      architecture_(image_.architecture ? image_.architecture : architecture_of(device.card().compute_capability)),
      library_(library),
      id_(next_module_id()) {
  recorder().module_loaded(id_, library_, image_.size, architecture_);
}

const Cubin& Module::cubin() {
  if (cubin_) return *cubin_;
  cubin_ = std::make_unique<Cubin>();
  std::vector<std::byte> buffer;
  for (const auto& part : image_.parts) {
    if (!parse_cubin(unpack(part, buffer), *cubin_)) recorder().count("driver.unreadable_device_code");
  }
  for (const auto& part : image_.ptx) {
    const auto text = unpack(part, buffer);
    parse_ptx({reinterpret_cast<const char*>(text.data()), text.size()}, *cubin_);
  }
  return *cubin_;
}

Kernel* Module::kernel(std::string_view name) {
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const auto facts = cubin().kernels.find(std::string(name));
  const bool found = facts != cubin().kernels.end();
  if (!found && !cubin().kernels.empty() && !image_.has_ptx) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->module = this;
  if (found) kernel->facts = facts->second;
  kernel->max_threads_per_block = max_threads(kernel->facts);
  kernel->max_dynamic_shared_memory =
      std::max(0, kStaticSharedLimit - static_cast<int>(kernel->facts.shared_memory.count));
  return kernels_.emplace(name, std::move(kernel)).first->second.get();
}

std::vector<Kernel*> Module::kernels() {
  std::vector<std::string> names;
  for (const auto& [name, facts] : cubin().kernels) names.push_back(name);
  std::sort(names.begin(), names.end());
  std::vector<Kernel*> all;
  for (const auto& name : names) all.push_back(kernel(name));
  return all;
}

Module::Variable Module::variable(std::string_view name, Device& device) {
  if (const auto known = variables_.find(name); known != variables_.end()) return known->second;
  const auto declared = cubin().globals.find(std::string(name));
  const bool found = declared != cubin().globals.end();
  if (!found && !cubin().globals.empty() && !image_.has_ptx) return {};
  constexpr Bytes kUnknownSize{65536};
  const Bytes size = found && declared->second.count > 0 ? declared->second : kUnknownSize;
  const auto address = device.addresses().take(round_up(size, kPage));
  if (!address) return {};
  instance().allocations.insert(*address, {.size = size, .kind = MemoryKind::global, .device = device.ordinal()});
  return variables_.emplace(name, Variable{*address, size}).first->second;
}

bool Module::load(Kernel& kernel, Device& device) {
  const std::uint64_t bit = std::uint64_t{1} << device.ordinal();
  const Bytes data = data_loaded_on_ & bit ? Bytes{} : cubin().data;
  if (!device.load_code(kernel.facts.code + data, library_)) return false;
  if (kernel.loaded_on == 0) {
    kernel.launches = recorder().kernel_loaded(next_kernel_id(), id_, kernel.name, kernel.facts.code);
  }
  data_loaded_on_ |= bit;
  kernel.loaded_on |= bit;
  return true;
}

CUresult load_module(Module** module, const void* image, trace::NameId library) {
  if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
  const Device* device = current_device();
  if (!device) device = instance().device(0);
  if (!device) return CUDA_ERROR_NOT_INITIALIZED;
  const Lock lock(instance().mutex);
  auto* const loaded = new Module(image, {}, *device, library);
  *module = loaded;
  if (loaded->usable()) return CUDA_SUCCESS;
  recorder().count("driver.no_kernel_image");
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult load_module_file(Module** module, const char* path, trace::NameId library) {
  if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
  std::vector<char> image = read_file(path);
  if (image.size() < sizeof(std::uint64_t) * 8) return CUDA_ERROR_FILE_NOT_FOUND;
  const Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  const void* const data = image.data();
  *module = new Module(data, std::move(image), *device, library);
  return (*module)->usable() ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace dryfit::driver
