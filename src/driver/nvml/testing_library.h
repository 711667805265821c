// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "card/machine.h"
#include "driver/nvml/api.h"

namespace dryfit::nvml {

/// The built library, loaded afresh for one test: a copy of the file, so that the state of other tests is not visible.
/// DRYFIT_MACHINE names a file with the given machine as long as this object lives.
class Library {
 public:
  explicit Library(const Machine& machine);
  /// The machine file contains this text; without text there is no machine file.
  explicit Library(const std::optional<std::string>& machine_text);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* symbol(const char* name) const;

 private:
  std::string folder_;
  void* handle_ = nullptr;
};

/// A function of the library, with its own type: NVML(library, nvmlInit_v2)().
#define NVML(library, name) (reinterpret_cast<decltype(&::name)>((library).symbol(#name)))

/// An RTX 3060, an A100, an H100, and a slice of an A100, in this order.
Machine example_machine();

/// An initialised library and the handle of one of its devices.
nvmlDevice_t handle_at(const Library& library, unsigned int index);

}  // namespace dryfit::nvml
