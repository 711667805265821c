// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "card/card.h"
#include "trace/events.h"
#include "trace/writer.h"

namespace dryfit::driver {

/// The capture of this process: opened with its first event, next to the machine file. Without a machine file, and once
/// the file cannot grow, events are discarded. Thread-safe, never destroyed. A forked child has a capture of its own.
class Recorder {
 public:
  trace::NameId name(std::string_view text) { return writer_.name(text); }

  void device(int ordinal, const Card& card);
  void allocated(int device, trace::Purpose purpose, std::uint64_t address, Bytes requested, Bytes charged,
                 trace::NameId library);
  void released(int device, trace::Purpose purpose, std::uint64_t address, Bytes charged);
  void allocation_failed(int device, Bytes requested, Bytes used, trace::NameId library);
  void module_loaded(trace::ModuleId id, trace::NameId library, Bytes image, int architecture);
  trace::CounterHandle kernel_loaded(trace::KernelId id, trace::ModuleId module, std::string_view kernel, Bytes code);
  void phase(std::string_view phase);
  void step(std::uint64_t completed);
  void note(std::string_view key, std::string_view value);
  void value(std::string_view key, int device, std::uint64_t value);
  void out_of_memory(int device, Bytes requested, Bytes device_free);
  void assumed(std::string_view what, std::string_view where, std::uint64_t elements, std::uint64_t of);

  /// Counts something by name. For rare events; hot paths keep the handle.
  void count(std::string_view name) { counter(name).add(); }
  trace::CounterHandle counter(std::string_view name);

  void close() { writer_.close(); }

 private:
  friend Recorder& recorder();
  Recorder();
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  /// The writer, with its file open if that is possible.
  trace::Writer& open();

  trace::Writer writer_;
  std::atomic<bool> tried_{false};
};

Recorder& recorder();

}  // namespace dryfit::driver
