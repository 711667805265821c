// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/caller.h"

#include <dlfcn.h>

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "driver/cuda/recorder.h"

namespace dryfit::driver {

namespace {

std::string_view file_name(const void* address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return "unknown";
  const std::string_view path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

trace::NameId calling_library(const void* return_address) {
  struct Cache {
    std::mutex mutex;
    std::unordered_map<const void*, trace::NameId> names;
  };
  static Cache& cache = *new Cache;
  const std::lock_guard lock(cache.mutex);
  const auto found = cache.names.find(return_address);
  if (found != cache.names.end()) return found->second;
  return cache.names[return_address] = recorder().name(file_name(return_address));
}

}  // namespace dryfit::driver
