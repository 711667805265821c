// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace dryfit::driver {

namespace {

constexpr int kMostFilesPerPid = 1000;

std::string trace_path(std::string_view machine_path, int attempt) {
  const auto slash = machine_path.rfind('/');
  std::string path(machine_path.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  path += "trace-" + std::to_string(getpid());
  if (attempt > 1) path += "-" + std::to_string(attempt);
  return path + ".dryfit";
}

}  // namespace

trace::Writer& Recorder::open() {
  if (tried_.exchange(true)) return writer_;
  const char* const machine = std::getenv("DRYFIT_MACHINE");
  if (!machine) return writer_;
  // The same pid comes again when a process replaces itself by exec.
  for (int attempt = 1; attempt <= kMostFilesPerPid; ++attempt) {
    if (writer_.open(trace_path(machine, attempt).c_str()) != std::errc::file_exists) break;
  }
  return writer_;
}

void Recorder::device(int ordinal, const Card& card) {
  open().device({static_cast<std::uint32_t>(ordinal), card.available(), name(card.id)});
}

void Recorder::allocated(int device, trace::Purpose purpose, std::uint64_t address, Bytes requested, Bytes charged,
                         trace::NameId library) {
  open().allocate({static_cast<std::uint32_t>(device), purpose, address, requested, charged, library});
}

void Recorder::released(int device, trace::Purpose purpose, std::uint64_t address, Bytes charged) {
  open().release({static_cast<std::uint32_t>(device), purpose, address, charged});
}

void Recorder::allocation_failed(int device, Bytes requested, Bytes used, trace::NameId library) {
  open().allocate_failed({static_cast<std::uint32_t>(device), requested, used, library});
}

void Recorder::module_loaded(trace::ModuleId id, trace::NameId library, Bytes image, int architecture) {
  open().module_loaded({id, library, image, static_cast<std::uint32_t>(architecture)});
}

trace::CounterHandle Recorder::kernel_loaded(trace::KernelId id, trace::ModuleId module, std::string_view kernel,
                                             Bytes code) {
  return open().kernel_loaded({id, module, name(kernel), code, 0});
}

void Recorder::phase(std::string_view phase) { open().phase({name(phase)}); }

void Recorder::step(std::uint64_t completed) { open().step({completed}); }

void Recorder::note(std::string_view key, std::string_view value) { open().note({name(key), name(value)}); }

void Recorder::value(std::string_view key, int device, std::uint64_t value) {
  open().value({name(key), device, value});
}

void Recorder::out_of_memory(int device, Bytes requested, Bytes device_free) {
  open().out_of_memory({static_cast<std::uint32_t>(device), requested, device_free});
}

void Recorder::assumed(std::string_view what, std::string_view where, std::uint64_t elements, std::uint64_t of) {
  open().assumed({name(what), name(where), elements, of});
}

trace::CounterHandle Recorder::counter(std::string_view name_of_counter) {
  return open().counter(name(name_of_counter));
}

void Recorder::before_fork() { recorder().writer_.before_fork(); }

void Recorder::after_fork_in_parent() { recorder().writer_.after_fork_in_parent(); }

void Recorder::after_fork_in_child() {
  recorder().writer_.after_fork_in_child();
  recorder().tried_ = false;
}

Recorder::Recorder() { pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child); }

Recorder& recorder() {
  static Recorder& only = *new Recorder;
  return only;
}

}  // namespace dryfit::driver
