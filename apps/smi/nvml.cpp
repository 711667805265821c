// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "smi/nvml.h"

#include <dlfcn.h>

namespace dryfit::smi {

bool Nvml::open() {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  const auto initialise = reinterpret_cast<nvmlReturn_t (*)()>(find("nvmlInit_v2"));
  return initialise && initialise() == NVML_SUCCESS;
}

void* Nvml::find(const char* function) const { return library_ ? dlsym(library_, function) : nullptr; }

}  // namespace dryfit::smi
