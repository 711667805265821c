// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/bytes.h"

/// The event vocabulary: everything that the capture of one process can contain. The file format that carries
/// it is drawn in trace/format.h and specified in docs/trace-format.md.
namespace dryfit::trace {

/// Nanoseconds since the capture began.
using Nanoseconds = std::uint64_t;

/// An interned string of this capture. 0 is the empty string.
enum class NameId : std::uint32_t {};
enum class ModuleId : std::uint32_t {};
enum class KernelId : std::uint32_t {};

/// What a piece of device memory is for.
enum class Purpose : std::uint8_t {
  allocation = 0,  ///< cuMemAlloc and its relatives
  physical = 1,    ///< cuMemCreate: physical memory, mapped to an address separately
  pool = 2,        ///< cuMemAllocAsync
  context = 3,     ///< the CUDA context itself
  code = 4,        ///< kernels and constants loaded onto the device
};

/// A text that later events refer to by id.
struct Name {
  NameId id;
  std::string text;
};

/// A device of the modelled machine was initialised.
struct Device {
  std::uint32_t ordinal;
  Bytes total;
  NameId card;  ///< id of the card in the catalogue
};

/// Device memory was allocated. `charged` counts against the card; `requested` is the size in the call.
struct Allocate {
  std::uint32_t device;
  Purpose purpose;
  std::uint64_t address;  ///< a handle for `physical`; unique among live allocations of one purpose
  Bytes requested;
  Bytes charged;
  NameId library;  ///< the shared library that called the driver
};

/// Device memory was freed.
struct Release {
  std::uint32_t device;
  Purpose purpose;
  std::uint64_t address;
  Bytes charged;
};

/// The card was full: the call returned CUDA_ERROR_OUT_OF_MEMORY.
struct AllocateFailed {
  std::uint32_t device;
  Bytes requested;
  Bytes used;  ///< in use on the card at that moment
  NameId library;
};

/// Device code was passed to the driver (loaded lazily: it takes memory only when one of its kernels runs).
struct ModuleLoaded {
  ModuleId id;
  NameId library;
  Bytes image;
  std::uint32_t architecture;  ///< of the image chosen for the card: 86 for sm_86
};

/// A kernel was loaded onto the device because it was launched for the first time.
struct KernelLoaded {
  KernelId id;
  ModuleId module;
  NameId name;
  Bytes code;
  std::uint64_t launches;  ///< counted in place while the process lives
};

/// Something counted in place while the process lives: copies ("copy.host_to_device"), diagnostics
/// ("driver.unimplemented.cuTexRefCreate").
struct Counter {
  NameId name;
  std::uint64_t count;
  Bytes bytes;
};

/// The program entered a phase.
struct Phase {
  NameId name;
};

/// The program completed an optimizer step (counted from 1).
struct Step {
  std::uint64_t completed;
};

/// A fact in words.
struct Note {
  NameId key;
  NameId value;
};

/// A fact as a number. device is -1 if it does not belong to one device.
struct Value {
  NameId key;
  std::int32_t device;
  std::uint64_t value;
};

/// PyTorch's caching allocator raised OutOfMemoryError.
struct OutOfMemory {
  std::uint32_t device;
  Bytes requested;
  Bytes device_free;
};

/// A size that depends on values that were never computed was assumed, once.
struct Assumed {
  NameId what;             ///< the operation: "nonzero"
  NameId where;            ///< the program line that needed it: "train.py:42"; empty if unknown
  std::uint64_t elements;  ///< the number assumed,
  std::uint64_t of;        ///< out of the largest number possible
};

using Payload = std::variant<Name, Device, Allocate, Release, AllocateFailed, ModuleLoaded, KernelLoaded, Counter,
                             Phase, Step, Note, Value, OutOfMemory, Assumed>;

struct Event {
  Nanoseconds time;
  Payload payload;
};

}  // namespace dryfit::trace
