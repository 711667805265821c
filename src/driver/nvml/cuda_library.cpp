// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/cuda_library.h"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "card/identity.h"
#include "dryfit/guest.h"

namespace dryfit::nvml {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

struct CudaFunctions {
  decltype(&dryfit_device_used) device_used = nullptr;
  decltype(&cuDeviceGetByPCIBusId) device_by_bus_id = nullptr;
  decltype(&cuDeviceCanAccessPeer) can_access_peer = nullptr;

  bool complete() const { return device_used != nullptr && device_by_bus_id != nullptr && can_access_peer != nullptr; }
};

// Note [Asking the loader]: a child forked while another thread is inside dlopen inherits a loader in disorder. So the
// loader is called only when the library is mapped, which happens once in a process, and never again after that.
bool is_mapped(const char* library) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  char line[4096 + 128];
  while (maps && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    if (std::strstr(line, library) != nullptr) return true;
  }
  return false;
}

/// The reference to the library is kept for good, so that its functions stay valid. Another vendor's libcuda lacks
/// Dryfit's own function and is released.
std::unique_ptr<const CudaFunctions> find_functions() {
  if (!is_mapped(kLibrary)) return nullptr;
  void* library = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  auto functions = std::make_unique<CudaFunctions>();
  functions->device_used = reinterpret_cast<decltype(&dryfit_device_used)>(dlsym(library, "dryfit_device_used"));
  functions->device_by_bus_id =
      reinterpret_cast<decltype(&cuDeviceGetByPCIBusId)>(dlsym(library, "cuDeviceGetByPCIBusId"));
  functions->can_access_peer =
      reinterpret_cast<decltype(&cuDeviceCanAccessPeer)>(dlsym(library, "cuDeviceCanAccessPeer"));
  if (functions->complete()) return functions;
  dlclose(library);
  return nullptr;
}

/// Null until the stand-in libcuda is loaded. Threads may search at the same time; the first to find it wins.
const CudaFunctions* cuda() {
  static std::atomic<const CudaFunctions*> found = nullptr;
  if (const auto* functions = found.load(std::memory_order_acquire)) return functions;
  auto fresh = find_functions();
  const CudaFunctions* expected = nullptr;
  if (!fresh || !found.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) return expected;
  return fresh.release();
}

std::optional<CUdevice> cuda_device(const CudaFunctions& functions, int ordinal) {
  CUdevice device = 0;
  if (functions.device_by_bus_id(&device, pci_bus_id(ordinal).c_str()) != CUDA_SUCCESS) return std::nullopt;
  return device;
}

}  // namespace

Bytes memory_used_by_cuda(int ordinal) {
  const CudaFunctions* functions = cuda();
  if (functions == nullptr) return {};
  const auto device = cuda_device(*functions, ordinal);
  return device ? Bytes{functions->device_used(*device)} : Bytes{};
}

bool peers_can_access(int ordinal, int peer_ordinal) {
  const CudaFunctions* functions = cuda();
  if (functions == nullptr) return false;
  const auto device = cuda_device(*functions, ordinal);
  const auto peer = cuda_device(*functions, peer_ordinal);
  int can_access = 0;
  return device && peer && functions->can_access_peer(&can_access, *device, *peer) == CUDA_SUCCESS && can_access != 0;
}

}  // namespace dryfit::nvml
