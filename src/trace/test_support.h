// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "trace/format.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/writer.h"

/// Shared by the tests in this folder.
namespace dryfit::trace::testing {

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces the file with a new one: faster than rewriting it, for which ext4 waits for the disk.
inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
T peek(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void poke(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

inline std::vector<Event> rest_of(Reader& reader) {
  std::vector<Event> events;
  while (auto event = reader.next()) events.push_back(*std::move(event));
  return events;
}

/// The header and every event, one line each; then the damage, if any.
inline std::string as_text(Reader& reader) {
  std::string text = to_text(reader.capture()) + '\n';
  for (const Event& event : rest_of(reader)) text += to_text(event, reader) + '\n';
  if (!reader.damage().empty()) text += "damaged: " + reader.damage() + '\n';
  return text;
}

/// One event of every kind, and counters that were counted.
inline void write_sample(Writer& writer) {
  const NameId torch = writer.name("libtorch_cuda.so");
  writer.device({.ordinal = 0, .total = {12'636'192'768}, .card = writer.name("rtx-3060-12gb")});
  writer.allocate({0, Purpose::context, 0x1000, {0}, {110'100'480}, NameId{0}});
  writer.module_loaded({ModuleId{7}, torch, {123'456}, 86});
  const auto launches = writer.kernel_loaded({KernelId{3}, ModuleId{7}, writer.name("gemm<float, 128>"), {4096}, 1});
  const auto copies = writer.counter(writer.name("copy.host_to_device"));
  writer.phase({writer.name("backward")});
  writer.allocate({0, Purpose::allocation, 0x7f0012000000, {2'000'000}, {2'097'152}, torch});
  launches.add();
  launches.add(40);
  copies.add(2, {4096});
  writer.release({0, Purpose::allocation, 0x7f0012000000, {2'097'152}});
  writer.step({1});
  writer.allocate_failed({0, {99'999'999'999}, {110'100'480}, torch});
  writer.out_of_memory({0, {99'999'999'000}, {12'526'092'288}});
  writer.note({writer.name("software.torch"), writer.name("2.6.0+cu124")});
  writer.value({writer.name("torch.peak_reserved_bytes"), -1, 18'446'744'073'709'551'615U});
  writer.assumed({writer.name("nonzero"), writer.name("train.py:42"), 4096, 8192});
}

/// Runs `body` in a child process, which ends with its value as exit code, or is aborted by an exception; returns what
/// waitpid says.
inline int run_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) [&]() noexcept { _exit(body()); }();
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace dryfit::trace::testing
