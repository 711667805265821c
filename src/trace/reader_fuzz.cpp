// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
//   trace_reader_fuzz tests/fuzz/trace
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/check.h"
#include "trace/reader.h"
#include "trace/text.h"

namespace dryfit::trace {
namespace {

/// Reads everything and checks what the Reader promises about it.
void read_everything(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) {
    DRYFIT_CHECK(!reader.error().what.empty());
    return;
  }
  while (const auto event = reader->next()) DRYFIT_CHECK(!to_text(*event, *reader).empty());
  reader->refresh();
  DRYFIT_CHECK(!reader->next());
  DRYFIT_CHECK(reader->diagnostics().counts().count("trace.damaged") == !reader->damage().empty());
}

}  // namespace
}  // namespace dryfit::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("trace", MFD_CLOEXEC);
  DRYFIT_CHECK(ftruncate(file, 0) == 0);
  DRYFIT_CHECK(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  dryfit::trace::read_everything("/proc/self/fd/" + std::to_string(file));
  return 0;
}
