// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/caller.h"

#include <dlfcn.h>
#include <pthread.h>

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

/// Return addresses seen so far. Its lock encloses the recorder's, so it is made after it (see Driver::Driver).
struct Cache {
  std::mutex mutex;
  std::unordered_map<const void*, trace::NameId> names;
};

Cache& cache() {
  static Cache& only = *[] {
    recorder();
    auto* const made = new Cache;
    pthread_atfork([] { cache().mutex.lock(); }, [] { cache().mutex.unlock(); }, [] { cache().mutex.unlock(); });
    return made;
  }();
  return only;
}

}  // namespace

trace::NameId calling_library(const void* return_address) {
  const std::lock_guard lock(cache().mutex);
  const auto [entry, added] = cache().names.try_emplace(return_address);
  if (added) entry->second = recorder().name(file_name(return_address));
  return entry->second;
}

}  // namespace dryfit::driver
