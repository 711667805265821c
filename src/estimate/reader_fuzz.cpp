// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "estimate/estimate.h"

/// Any bytes give a trace or an Error, and every trace can be estimated. Seeds: tests/fuzz/profile.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dryfit;
  using namespace dryfit::literals;
  const auto source = estimate::from_memory({reinterpret_cast<const char*>(data), size});
  auto recording = estimate::read_recording(*source, "fuzz");
  if (!recording) return 0;
  const Card card{.id = "fuzz", .compute_capability = {8, 6}, .total_memory = 12_GiB, .context_memory = 100_MiB};
  static_cast<void>(estimate::estimate(*recording, {card}, {.torch = {2, 6, 0}}));
  return 0;
}
