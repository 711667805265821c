// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// cuGetExportTable: tables of functions that NVIDIA's own libraries request from the driver by UUID. Public knowledge
// of them comes from the ZLUDA project; only what the CUDA runtime, cuBLASLt and cuDNN call is here, and every other
// slot counts the call and reports success. A table's first word is its size in bytes, unless said otherwise.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "driver/cuda/driver.h"
#include "driver/cuda/handshake.h"
#include "driver/cuda/module.h"
#include "driver/cuda/recorder.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

using Slot = const void*;

enum class TableId {
  runtime,
  callbacks,
  thread_state,
  context_storage,
  context_checks,
  handshake,
  tools_context,
  device_extension,
  heap,
  context_bypass,
  chip_layout,
  tools_module
};

constexpr const char* kTableNames[] = {"runtime",        "callbacks",      "thread_state",  "context_storage",
                                       "context_checks", "handshake",      "tools_context", "device_extension",
                                       "heap",           "context_bypass", "chip_layout",   "tools_module"};

template <TableId table, std::size_t slot>
CUresult unknown_slot() {
  recorder().count(std::string("driver.private_table.") + kTableNames[static_cast<int>(table)] + "." +
                   std::to_string(slot));
  return CUDA_SUCCESS;
}

template <std::size_t size>
using Table = std::array<Slot, size>;

template <class Function>
Slot slot(Function* function) {
  return reinterpret_cast<Slot>(function);
}

/// A table of unknown slots only, with its size in the first word.
template <TableId id, std::size_t size>
Table<size> unknown_table() {
  return []<std::size_t... index>(std::index_sequence<index...>) {
    Table<size> table{slot(&unknown_slot<id, index>)...};
    table[0] = reinterpret_cast<Slot>(size * sizeof(Slot));
    return table;
  }(std::make_index_sequence<size>());
}

Context* given_or_current(CUcontext context) {
  return context ? reinterpret_cast<Context*>(context) : current_context();
}

// The runtime's own interface: modules and primary contexts.

CUresult load(CUmodule* out, const void* image, trace::NameId library) {
  Module* module = nullptr;
  const CUresult result = load_module(&module, image, library);
  if (module) *out = reinterpret_cast<CUmodule>(module);
  return result;
}

CUresult runtime_load_module(CUmodule* module, const void* image) { return load(module, image, DRYFIT_CALLER); }

CUresult runtime_load_module_ext(CUmodule* module, const void* image, void*, void*, unsigned) {
  return load(module, image, DRYFIT_CALLER);
}

CUresult runtime_load_fatbin(const void* image, CUmodule* module, void*, void*, unsigned) {
  return load(module, image, DRYFIT_CALLER);
}

CUresult runtime_primary_context(CUcontext* context, CUdevice ordinal) {
  Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Lock lock(instance().mutex);
  *context = reinterpret_cast<CUcontext>(device->primary_context());
  return CUDA_SUCCESS;
}

void runtime_notify(std::size_t) {}
CUresult runtime_ready() { return CUDA_SUCCESS; }

Table<13>& runtime_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::runtime, 13>();
    t[1] = slot(&runtime_load_module);
    t[2] = slot(&runtime_primary_context);
    t[6] = slot(&runtime_load_module_ext);
    t[7] = slot(&runtime_notify);
    t[8] = slot(&runtime_load_fatbin);
    t[12] = slot(&runtime_ready);
    return t;
  }());
  return table;
}

// Buffers in which tools would select the calls they want to be notified of: none.

void callback_flags(void** buffer, std::size_t* size) {
  static std::array<std::uint32_t, 1024> flags{};
  *buffer = flags.data();
  *size = flags.size();
}

void callback_domains(void** buffer, std::size_t* size) {
  static std::array<std::uint32_t, 14> domains{};
  *buffer = domains.data();
  *size = domains.size();
}

Table<7>& callbacks_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::callbacks, 7>();
    t[2] = slot(&callback_flags);
    t[6] = slot(&callback_domains);
    return t;
  }());
  return table;
}

CUresult thread_current_context(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(current_context());
  return CUDA_SUCCESS;
}

Table<4>& thread_state_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::thread_state, 4>();
    t[2] = slot(&thread_current_context);
    return t;
  }());
  return table;
}

// Storage that the runtime keeps with a context.

CUresult storage_put(CUcontext handle, void* key, void* value, Context::Destructor destructor) {
  Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  context->storage[key] = {value, destructor};
  return CUDA_SUCCESS;
}

CUresult storage_delete(CUcontext handle, void* key) {
  Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  context->storage.erase(key);
  return CUDA_SUCCESS;
}

CUresult storage_get(void** value, CUcontext handle, void* key) {
  Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  const auto found = context->storage.find(key);
  if (found == context->storage.end()) return CUDA_ERROR_INVALID_HANDLE;
  *value = found->second.value;
  return CUDA_SUCCESS;
}

/// This table has no size word.
Table<4>& context_storage_table() {
  static auto& table = *new Table<4>{slot(&storage_put), slot(&storage_delete), slot(&storage_get), nullptr};
  return table;
}

CUresult context_check(CUcontext, std::uint32_t* result, const void**) {
  *result = 0;
  return CUDA_SUCCESS;
}

std::uint32_t context_check_mode() { return 0; }

Table<4>& context_checks_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::context_checks, 4>();
    t[2] = slot(&context_check);
    t[3] = slot(&context_check_mode);
    return t;
  }());
  return table;
}

// cuBLASLt identifies contexts through this one, and refuses every algorithm without it.

CUresult tools_context_device(CUcontext handle, std::uint32_t* device) {
  const Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *device = static_cast<std::uint32_t>(context->device);
  return CUDA_SUCCESS;
}

CUresult tools_context_id(CUcontext handle, std::uint64_t* id) {
  const Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->id;
  return CUDA_SUCCESS;
}

Table<95>& tools_context_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::tools_context, 95>();
    t[3] = slot(&tools_context_device);
    t[4] = slot(&tools_context_id);
    return t;
  }());
  return table;
}

CUresult extension_attribute(CUdevice, std::uint32_t, std::int32_t, std::uint64_t* result) {
  result[0] = 0;
  result[1] = 0;
  return CUDA_SUCCESS;
}

CUresult extension_flag(std::uint8_t* result, CUdevice) {
  *result = 0;
  return CUDA_SUCCESS;
}

Table<26>& device_extension_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::device_extension, 26>();
    t[5] = slot(&extension_attribute);
    t[13] = slot(&extension_flag);
    return t;
  }());
  return table;
}

Table<3>& heap_table() {
  static auto& table = *new auto(unknown_table<TableId::heap, 3>());
  return table;
}

Table<2>& context_bypass_table() {
  static auto& table = *new auto(unknown_table<TableId::context_bypass, 2>());
  return table;
}

// Where the multiprocessors of a chip are. cuBLASLt 13 queries this on chips with clusters and relies on an answer:
// one byte for each pair of multiprocessors, the number of its graphics processing cluster.

CUresult layout_get(const std::uint8_t** clusters, void** token) {
  const Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  if (device->card().gpc_multiprocessors.empty()) return CUDA_ERROR_NOT_SUPPORTED;
  std::vector<std::uint8_t> pairs;
  std::uint8_t cluster = 0;
  for (const int multiprocessors : device->card().gpc_multiprocessors) {
    pairs.insert(pairs.end(), static_cast<std::size_t>(multiprocessors) / 2, cluster++);
  }
  auto* const answer = new std::uint8_t[pairs.size()];
  std::copy(pairs.begin(), pairs.end(), answer);
  *clusters = answer;
  *token = answer;
  return CUDA_SUCCESS;
}

CUresult layout_release(const std::uint8_t*, void* token) {
  delete[] static_cast<std::uint8_t*>(token);
  return CUDA_SUCCESS;
}

Table<32>& chip_layout_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::chip_layout, 32>();
    t[4] = slot(&layout_get);
    t[13] = slot(&layout_release);
    return t;
  }());
  return table;
}

// The functions of a module, one by one. cuFFT finds its kernels in this way.

using FunctionVisitor = void (*)(void* visitor, CUfunction function, CUmodule owner);

std::uint64_t visit_functions(CUcontext, CUmodule module, FunctionVisitor visit, void* visitor) {
  if (!module || !visit) return 0;
  std::vector<Kernel*> kernels;
  {
    const Lock lock(instance().mutex);
    kernels = reinterpret_cast<Module*>(module)->kernels();
  }
  for (auto* const kernel : kernels) visit(visitor, reinterpret_cast<CUfunction>(kernel), module);
  return kernels.size();
}

Table<64>& tools_module_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::tools_module, 64>();
    t[7] = slot(&visit_functions);
    return t;
  }());
  return table;
}

CUresult handshake(std::uint32_t version, std::uint64_t seconds, std::uint64_t answer[2]);

Table<3>& handshake_table() {
  static auto& table = *new auto([] {
    auto t = unknown_table<TableId::handshake, 3>();
    t[1] = slot(&handshake);
    return t;
  }());
  return table;
}

CUresult handshake(std::uint32_t version, std::uint64_t seconds, std::uint64_t answer[2]) {
  return answer_handshake({version, seconds, runtime_table().data(), handshake_table().data(), slot(&handshake)},
                          answer);
}

/// The first four bytes distinguish the known tables. Callers fall back to these when a newer table is refused.
Slot* find_table(const CUuuid& id) {
  std::uint32_t head;
  std::memcpy(&head, id.bytes, sizeof head);
  switch (__builtin_bswap32(head)) {
    case 0x6bd5fb6c:
      return runtime_table().data();
    case 0xa094798c:
      return callbacks_table().data();
    case 0x42d85a81:
      return thread_state_table().data();
    case 0xc693336e:
      return context_storage_table().data();
    case 0x263e8860:
      return context_checks_table().data();
    case 0xd4082055:
      return handshake_table().data();
    case 0x21318c60:
      return tools_context_table().data();
    case 0xb10541e1:
      return device_extension_table().data();
    case 0x195bcbf4:
      return heap_table().data();
    case 0x0ca50b8c:
      return context_bypass_table().data();
    case 0x6e163fbe:
      return tools_module_table().data();
    case 0x1734dc26:
      return chip_layout_table().data();
    default:
      return nullptr;
  }
}

}  // namespace

DRYFIT_API(cuGetExportTable)(const void** table, const CUuuid* id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  instance().initialise();
  *table = find_table(*id);
  return *table ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
