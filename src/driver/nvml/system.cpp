// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about the machine as a whole: versions, process names, units.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "driver/nvml/driver_release.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

nvmlReturn_t cuda_driver_version(int* version) {
  return with_machine([&](const Machine& machine) {
    if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *version = machine.driver_version;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t none_of_them(unsigned int* count) {
  return with_machine([&](const Machine&) {
    if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t reason_of(int error) { return error == EACCES ? NVML_ERROR_NO_PERMISSION : NVML_ERROR_NOT_FOUND; }

/// The first word of the process's command line, cropped to the buffer.
nvmlReturn_t process_name(unsigned int pid, char* name, unsigned int length) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return reason_of(errno);
  const ssize_t got = read(file, name, length - 1);
  close(file);
  if (got < 0) return NVML_ERROR_UNKNOWN;
  name[got] = '\0';
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return with_machine(
      [&](const Machine& machine) { return copy_text(driver_release(machine.driver_version), version, length); });
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  return with_machine([&](const Machine& machine) {
    const auto cuda_major = std::to_string(machine.driver_version / 1000);
    return copy_text(cuda_major + "." + std::string(driver_release(machine.driver_version)), version, length);
  });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) { return cuda_driver_version(version); }
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) { return cuda_driver_version(version); }

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char* name, unsigned int length) {
  return with_machine([&](const Machine&) {
    if (name == nullptr || length == 0) return NVML_ERROR_INVALID_ARGUMENT;
    return process_name(pid, name, length);
  });
}

nvmlReturn_t nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t* info, unsigned int length) {
  return with_machine([&](const Machine& machine) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != nvmlSystemDriverBranchInfo_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const auto driver = driver_release(machine.driver_version);
    const auto branch = "r" + std::string(driver.substr(0, driver.find('.'))) + "_00";
    return copy_text(branch, info->branch, std::min<unsigned int>(length, sizeof info->branch));
  });
}

nvmlReturn_t nvmlUnitGetCount(unsigned int* count) { return none_of_them(count); }
nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned int* count) { return none_of_them(count); }

}  // extern "C"
