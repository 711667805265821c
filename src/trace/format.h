// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

/// The bytes of a trace file, version 1. All numbers are little endian; every record begins at a multiple of 8.
///
///   +--------+--------+--------+-- … --+--------+ - - - - - - - - - +
///   | header | record | record |       | record | zeros: not yet in use |
///   +--------+--------+--------+-- … --+--------+ - - - - - - - - - +
///   0        header_size                        committed
///
///   header                                            record
///    0  u64  magic "dryfit\r\n"                        0  u16  kind
///    8  u32  version (1)                               2  u16  flags, 0; readers ignore them
///   12  u32  header_size (128)                         4  u32  size of the whole record, a multiple of 8
///   16  u64  committed: where the whole records end    8  u64  nanoseconds since the capture began
///   24  u64  dropped: records lost for lack of room   16       payload, one struct of namespace wire
///   32  u32  state: 0 open, 1 closed cleanly
///   36  u32  incomplete: why records were dropped
///   40  u32  pid
///   44  u32  ppid
///   48  u64  start, nanoseconds since 1970 (UTC)
///   56  u64  start, nanoseconds of CLOCK_MONOTONIC
///   64       zeros
///
/// A worked example: the name "backward" gets id 1, then the program enters that phase, 4096 ns after the capture
/// began.
///
///   0080  01 00 00 00 20 00 00 00  00 0f 00 00 00 00 00 00   kind 1 (Name), 32 bytes, 3840 ns
///   0090  01 00 00 00 08 00 00 00  62 61 63 6b 77 61 72 64   id 1, 8 bytes of text: b a c k w a r d
///   00a0  09 00 00 00 18 00 00 00  00 10 00 00 00 00 00 00   kind 9 (Phase), 24 bytes, 4096 ns
///   00b0  01 00 00 00 00 00 00 00                            name 1
///
/// `committed` is now 0xb8. It is stored with release order after the record it covers is whole, so a reader
/// finds whole records up to there at any moment, also after SIGKILL. Bytes below `committed` never change, except
/// wire::KernelLoaded::launches and wire::Counter::count and ::bytes, which are counted in place.
namespace dryfit::trace {

static_assert(std::endian::native == std::endian::little, "trace files hold the machine's own byte order");

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint64_t kMagic = 0x0a0d'7469'6679'7264;  ///< "dryfit\r\n"
inline constexpr std::size_t kRecordAlignment = 8;

/// The writer cuts longer texts off here.
inline constexpr std::size_t kMaxTextBytes = 64 * 1024;

/// No record is larger; a reader treats a larger one as damage.
inline constexpr std::size_t kMaxRecordBytes = 1024 * 1024;

/// Why the last records of a capture are missing. The values are part of the format.
enum class Incomplete : std::uint32_t {
  no = 0,
  disk_full = 1,        ///< the file system or the user's quota has no room
  file_size_limit = 2,  ///< RLIMIT_FSIZE (`ulimit -f`), or the file system's own limit
  address_space = 3,    ///< the address range reserved for the file is used up (see `ulimit -v`)
  input_output = 4,     ///< the file could not grow for another reason: gone, read-only, device error
  out_of_memory = 5,    ///< the process had no host memory for the writer's own tables
};

namespace wire {

enum class State : std::uint32_t { open = 0, closed = 1 };

struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t committed;
  std::uint64_t dropped;
  State state;
  Incomplete incomplete;
  std::uint32_t pid;
  std::uint32_t ppid;
  std::uint64_t start_realtime;
  std::uint64_t start_monotonic;
  std::uint64_t reserved[8];
};
static_assert(sizeof(Header) == 128 && offsetof(Header, committed) == 16 && offsetof(Header, start_realtime) == 48);

/// 0 is not a kind, so that a reader recognises zeros in the place of a record as damage.
enum class Kind : std::uint16_t {
  name = 1,
  device = 2,
  allocate = 3,
  release = 4,
  allocate_failed = 5,
  module_loaded = 6,
  kernel_loaded = 7,
  counter = 8,
  phase = 9,
  step = 10,
  note = 11,
  value = 12,
  out_of_memory = 13,
  assumed = 14,
};

struct RecordHead {
  Kind kind;
  std::uint16_t flags;
  std::uint32_t size;
  std::uint64_t time;
};
static_assert(sizeof(RecordHead) == 16);

/// `length` bytes of text follow, then zeros up to a multiple of 8. Ids count up from 1 without gaps.
struct Name {
  static constexpr Kind kKind = Kind::name;
  std::uint32_t id;
  std::uint32_t length;
};
static_assert(sizeof(Name) == 8);

struct Device {
  static constexpr Kind kKind = Kind::device;
  std::uint32_t ordinal;
  std::uint32_t card;
  std::uint64_t total;
};
static_assert(sizeof(Device) == 16);

struct Allocate {
  static constexpr Kind kKind = Kind::allocate;
  std::uint32_t device;
  std::uint32_t purpose;
  std::uint64_t address;
  std::uint64_t requested;
  std::uint64_t charged;
  std::uint32_t library;
  std::uint32_t reserved;
};
static_assert(sizeof(Allocate) == 40);

struct Release {
  static constexpr Kind kKind = Kind::release;
  std::uint32_t device;
  std::uint32_t purpose;
  std::uint64_t address;
  std::uint64_t charged;
};
static_assert(sizeof(Release) == 24);

struct AllocateFailed {
  static constexpr Kind kKind = Kind::allocate_failed;
  std::uint32_t device;
  std::uint32_t library;
  std::uint64_t requested;
  std::uint64_t used;
};
static_assert(sizeof(AllocateFailed) == 24);

struct ModuleLoaded {
  static constexpr Kind kKind = Kind::module_loaded;
  std::uint32_t id;
  std::uint32_t library;
  std::uint64_t image;
  std::uint32_t architecture;
  std::uint32_t reserved;
};
static_assert(sizeof(ModuleLoaded) == 24);

struct KernelLoaded {
  static constexpr Kind kKind = Kind::kernel_loaded;
  std::uint32_t id;
  std::uint32_t module;
  std::uint32_t name;
  std::uint32_t reserved;
  std::uint64_t code;
  std::uint64_t launches;  ///< counted in place
};
static_assert(sizeof(KernelLoaded) == 32);

struct Counter {
  static constexpr Kind kKind = Kind::counter;
  std::uint32_t name;
  std::uint32_t reserved;
  std::uint64_t count;  ///< counted in place
  std::uint64_t bytes;  ///< counted in place
};
static_assert(sizeof(Counter) == 24);

struct Phase {
  static constexpr Kind kKind = Kind::phase;
  std::uint32_t name;
  std::uint32_t reserved;
};
static_assert(sizeof(Phase) == 8);

struct Step {
  static constexpr Kind kKind = Kind::step;
  std::uint64_t completed;
};
static_assert(sizeof(Step) == 8);

struct Note {
  static constexpr Kind kKind = Kind::note;
  std::uint32_t key;
  std::uint32_t value;
};
static_assert(sizeof(Note) == 8);

struct Value {
  static constexpr Kind kKind = Kind::value;
  std::uint32_t key;
  std::int32_t device;
  std::uint64_t value;
};
static_assert(sizeof(Value) == 16);

struct OutOfMemory {
  static constexpr Kind kKind = Kind::out_of_memory;
  std::uint32_t device;
  std::uint32_t reserved;
  std::uint64_t requested;
  std::uint64_t device_free;
};
static_assert(sizeof(OutOfMemory) == 24);

struct Assumed {
  static constexpr Kind kKind = Kind::assumed;
  std::uint32_t what;
  std::uint32_t where;
  std::uint64_t elements;
  std::uint64_t of;
};
static_assert(sizeof(Assumed) == 24);

}  // namespace wire
}  // namespace dryfit::trace
