// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
//   snapshot_reader_fuzz tests/fuzz/snapshot
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "snapshot/reader.h"
#include "snapshot/rewind.h"
#include "snapshot/writer.h"

namespace dryfit::snapshot {
namespace {

/// Blocks lie within their segment, one behind the other.
void check_layout(const Segment& segment) {
  Address at = segment.address;
  for (const auto& block : segment.blocks) {
    DRYFIT_CHECK(block.address >= at);
    at = block.address + block.size.count;
  }
  DRYFIT_CHECK(at <= segment.address + segment.size.count);
}

void read_everything(std::string_view bytes) {
  const auto snapshot = parse_snapshot(bytes);
  if (!snapshot) {
    DRYFIT_CHECK(!snapshot.error().what.empty());
    return;
  }
  for (const auto& segment : snapshot->segments) check_layout(segment);
  for (std::size_t device = 0; device <= snapshot->device_traces.size(); ++device) {
    for (const auto& segment : rewind(*snapshot, static_cast<int>(device)).segments) check_layout(segment);
  }
  const auto written = to_pickle(*snapshot);
  const auto again = parse_snapshot(written);
  DRYFIT_CHECK(again && to_pickle(*again) == written);
}

}  // namespace
}  // namespace dryfit::snapshot

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dryfit::snapshot::read_everything({reinterpret_cast<const char*>(data), size});
  return 0;
}
