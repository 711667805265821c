// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "driver/cuda/api.h"
#include "driver/cuda/cubin.h"
#include "driver/cuda/device.h"
#include "driver/cuda/fatbin.h"
#include "trace/writer.h"

namespace dryfit::driver {

class Module;

/// A kernel that a program has looked up by name. CUfunction and CUkernel handles point at these.
struct Kernel {
  std::string name;
  Module* module;
  KernelFacts facts;
  int max_threads_per_block;
  int max_dynamic_shared_memory;
  int shared_memory_carveout = -1;

  std::uint64_t loaded_on = 0;  ///< the devices that hold its code: bit n for ordinal n
  trace::CounterHandle launches;

  bool is_loaded_on(const Device& device) const { return loaded_on >> device.ordinal() & 1; }
};

/// Device code that a program has loaded. CUmodule and CUlibrary handles point at these; they are never freed, since
/// libraries unload them from exit handlers in any order. Not thread-safe; the driver's lock guards it.
class Module {
 public:
  /// `image` still belongs to the program and must outlive the module, unless `owned` holds it.
  Module(const void* image, std::vector<char> owned, const Device& device, trace::NameId library);

  bool usable() const { return image_.usable(); }
  int architecture() const { return architecture_; }
  trace::NameId library() const { return library_; }
  trace::ModuleId id() const { return id_; }

  /// Null if the machine code is known and has no such kernel.
  Kernel* kernel(std::string_view name);
  /// The kernels, in order of name. Of PTX that is not in a fat binary, none.
  std::vector<Kernel*> kernels();

  struct Variable {
    Address address = 0;
    Bytes size;
  };
  /// A device variable, placed on the device on first use.
  Variable variable(std::string_view name, Device& device);

  /// Loads a kernel's code onto a device, and the module's data with its first kernel. False if the device is full.
  bool load(Kernel& kernel, Device& device);

 private:
  const Cubin& cubin();

  std::vector<char> owned_;
  CodeImage image_;
  int architecture_;
  trace::NameId library_;
  trace::ModuleId id_;
  std::unique_ptr<Cubin> cubin_;      ///< parsed when first needed
  std::uint64_t data_loaded_on_ = 0;  ///< like Kernel::loaded_on
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels_;
  std::map<std::string, Variable, std::less<>> variables_;
};

/// Loads code for the device of the current context: the core of all loading entry points.
CUresult load_module(Module** module, const void* image, trace::NameId library);
CUresult load_module_file(Module** module, const char* path, trace::NameId library);

}  // namespace dryfit::driver
