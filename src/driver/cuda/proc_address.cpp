// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress: the entry point that a caller built for some CUDA version gets for a name. This file does not
// include cuda.h: it takes the addresses of all entry points and needs none of their prototypes.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

extern "C" int cuDriverGetVersion(int* version);

// Only the address of each entry point is wanted; as plain bytes it clashes with no prototype.
#define ENTRY(name, version, symbol) extern const char entry_##symbol[] asm(#symbol);
#define PER_THREAD(symbol, base)
#include "driver/cuda/entry_points.def"
#undef ENTRY

namespace {

struct EntryPoint {
  const char* name;
  int version;
  const void* address;
};

/// Ordered by name, then by version, as the list is.
const EntryPoint kEntryPoints[] = {
#define ENTRY(name, version, symbol) {#name, version, entry_##symbol},
#include "driver/cuda/entry_points.def"
#undef ENTRY
};

enum Result { kSuccess = 0, kInvalidValue = 1, kNotFound = 500 };
enum Query { kFound = 0, kSymbolNotFound = 1, kVersionNotSufficient = 2 };

struct Answer {
  const void* address = nullptr;
  Query query = kSymbolNotFound;
};

/// The newest version not above the caller's. What is newer than the modelled driver does not exist.
Answer find(std::string_view name, int caller_version) {
  int driver_version = 0;
  cuDriverGetVersion(&driver_version);
  auto entry = std::lower_bound(std::begin(kEntryPoints), std::end(kEntryPoints), name,
                                [](const EntryPoint& a, std::string_view b) { return a.name < b; });
  Answer answer;
  for (; entry != std::end(kEntryPoints) && entry->name == name && entry->version <= driver_version; ++entry) {
    if (entry->version > caller_version) {
      if (!answer.address) answer.query = kVersionNotSufficient;
      break;
    }
    answer = {entry->address, kFound};
  }
  return answer;
}

int get(const char* name, void** address, int version, int* status) {
  if (!name || !address) return kInvalidValue;
  const Answer answer = find(name, version);
  *address = const_cast<void*>(answer.address);
  if (status) *status = answer.query;
  return answer.address ? kSuccess : kNotFound;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress(const char* name, void** address, int version,
                                                                       std::uint64_t) {
  return get(name, address, version, nullptr);
}

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* name, void** address, int version,
                                                                          std::uint64_t, int* status) {
  return get(name, address, version, status);
}
