// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: device code, and the kernels and variables in it.
#include "driver/cuda/driver.h"
#include "driver/cuda/module.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

template <class Handle>
Module* module_of(Handle handle) {
  return reinterpret_cast<Module*>(handle);
}

template <class Handle>
CUresult load(Handle* out, const void* image, trace::NameId library) {
  Module* module = nullptr;
  const CUresult result = load_module(&module, image, library);
  if (module) *out = reinterpret_cast<Handle>(module);
  return result;
}

template <class Handle>
CUresult load_file(Handle* out, const char* path, trace::NameId library) {
  Module* module = nullptr;
  const CUresult result = load_module_file(&module, path, library);
  if (module) *out = reinterpret_cast<Handle>(module);
  return result;
}

template <class Handle>
CUresult find_kernel(Handle* out, Module* module, const char* name) {
  if (!out || !module || !name) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  *out = reinterpret_cast<Handle>(module->kernel(name));
  return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult find_variable(CUdeviceptr* address, size_t* size, Module* module, const char* name) {
  if (!module || !name) return CUDA_ERROR_INVALID_VALUE;
  Device* device = current_device();
  if (!device) device = instance().device(0);
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  const auto variable = module->variable(name, *device);
  if (variable.address == 0) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = variable.address;
  if (size) *size = variable.size.count;
  return CUDA_SUCCESS;
}

CUresult count_kernels(unsigned* count, Module* module) {
  if (!count || !module) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  *count = static_cast<unsigned>(module->kernels().size());
  return CUDA_SUCCESS;
}

template <class Handle>
CUresult list_kernels(Handle* out, unsigned capacity, Module* module) {
  if (!out || !module) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  for (Kernel* const kernel : module->kernels()) {
    if (capacity-- == 0) break;
    *out++ = reinterpret_cast<Handle>(kernel);
  }
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuModuleLoad)(CUmodule* module, const char* path) { return load_file(module, path, DRYFIT_CALLER); }
DRYFIT_API(cuModuleLoadData)(CUmodule* module, const void* image) { return load(module, image, DRYFIT_CALLER); }
DRYFIT_API(cuModuleLoadDataEx)(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return load(module, image, DRYFIT_CALLER);
}
DRYFIT_API(cuModuleLoadFatBinary)(CUmodule* module, const void* image) { return load(module, image, DRYFIT_CALLER); }
DRYFIT_API(cuModuleUnload)(CUmodule) { return CUDA_SUCCESS; }
DRYFIT_API(cuModuleGetLoadingMode)(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) {
  return find_kernel(function, module_of(module), name);
}
DRYFIT_API(cuModuleGetFunctionCount)(unsigned* count, CUmodule module) {
  return count_kernels(count, module_of(module));
}
DRYFIT_API(cuModuleEnumerateFunctions)(CUfunction* functions, unsigned capacity, CUmodule module) {
  return list_kernels(functions, capacity, module_of(module));
}
DRYFIT_API(cuModuleGetGlobal_v2)(CUdeviceptr* address, size_t* size, CUmodule module, const char* name) {
  return find_variable(address, size, module_of(module), name);
}

DRYFIT_API(cuLibraryLoadData)(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*,
                              void**, unsigned) {
  return load(library, image, DRYFIT_CALLER);
}
DRYFIT_API(cuLibraryLoadFromFile)(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned,
                                  CUlibraryOption*, void**, unsigned) {
  return load_file(library, path, DRYFIT_CALLER);
}
DRYFIT_API(cuLibraryUnload)(CUlibrary) { return CUDA_SUCCESS; }
DRYFIT_API(cuLibraryGetKernel)(CUkernel* kernel, CUlibrary library, const char* name) {
  return find_kernel(kernel, module_of(library), name);
}
DRYFIT_API(cuLibraryGetKernelCount)(unsigned* count, CUlibrary library) {
  return count_kernels(count, module_of(library));
}
DRYFIT_API(cuLibraryEnumerateKernels)(CUkernel* kernels, unsigned capacity, CUlibrary library) {
  return list_kernels(kernels, capacity, module_of(library));
}
DRYFIT_API(cuLibraryGetModule)(CUmodule* module, CUlibrary library) {
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuLibraryGetGlobal)(CUdeviceptr* address, size_t* size, CUlibrary library, const char* name) {
  return find_variable(address, size, module_of(library), name);
}
DRYFIT_API(cuLibraryGetManaged)(CUdeviceptr* address, size_t* size, CUlibrary library, const char* name) {
  return find_variable(address, size, module_of(library), name);
}
DRYFIT_API(cuLibraryGetUnifiedFunction)(void**, CUlibrary, const char*) { return CUDA_ERROR_NOT_FOUND; }
