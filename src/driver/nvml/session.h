// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include "card/machine.h"
#include "driver/nvml/api.h"

namespace dryfit::nvml {

/// Reads the machine file (DRYFIT_MACHINE) on first success, and registers the caller. Without a machine there is no
/// driver: NVML_ERROR_DRIVER_NOT_LOADED. Takes no lock, so that a fork at any moment leaves the child usable. What it
/// loads is never freed, so that calls during process exit stay valid.
nvmlReturn_t initialize();

/// Unregisters a caller; NVML_ERROR_UNINITIALIZED if none is registered.
nvmlReturn_t shut_down();

/// The machine, while at least one caller is registered; otherwise null.
const Machine* current_machine();

/// What a handle refers to. A MIG card has two handles: its GPU, and the slice of it that CUDA sees.
struct Device {
  int ordinal = 0;
  bool is_slice = false;
  const Card* card = nullptr;
};

nvmlDevice_t handle_of(int ordinal, bool is_slice = false);

/// Nothing for a value that handle_of never returned for this machine; the value is not dereferenced.
std::optional<Device> device_of(const Machine& machine, nvmlDevice_t handle);

bool is_mig_card(const Card& card);

/// The body of an entry point that needs an initialised library. Exceptions stop here.
template <class Body>
nvmlReturn_t with_machine(Body body) noexcept {
  const Machine* machine = current_machine();
  if (machine == nullptr) return NVML_ERROR_UNINITIALIZED;
  try {
    return body(*machine);
  } catch (...) {
    return NVML_ERROR_UNKNOWN;
  }
}

/// The body of an entry point for one device.
template <class Body>
nvmlReturn_t with_device(nvmlDevice_t handle, Body body) noexcept {
  return with_machine([&](const Machine& machine) {
    const auto device = device_of(machine, handle);
    return device ? body(*device) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

/// An entry point with one result, computed from the device.
template <class T, class Compute>
  requires std::is_invocable_v<Compute, const Device&>
nvmlReturn_t answer(nvmlDevice_t handle, T* out, Compute compute) noexcept {
  return with_device(handle, [&](const Device& device) {
    if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *out = compute(device);
    return NVML_SUCCESS;
  });
}

/// An entry point with one result, the same for every device.
template <class T>
nvmlReturn_t answer(nvmlDevice_t handle, T* out, std::type_identity_t<T> value) noexcept {
  return answer(handle, out, [&](const Device&) { return value; });
}

/// An entry point that checks its device and then has nothing to report.
inline nvmlReturn_t not_supported(nvmlDevice_t handle) noexcept {
  return with_device(handle, [](const Device&) { return NVML_ERROR_NOT_SUPPORTED; });
}

/// Copies the text and its terminating zero into the caller's buffer, completely or not at all.
nvmlReturn_t copy_text(std::string_view text, char* out, unsigned int length);

}  // namespace dryfit::nvml
