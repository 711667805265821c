// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   simulator_alloc_config_fuzz tests/fuzz/alloc_config
//
// The first byte chooses the version, the rest is the config.
#include "base/check.h"
#include "simulator/alloc_config.h"
#include "simulator/rounding.h"

namespace dryfit::simulator {
namespace {

void check(std::string_view text, TorchVersion version) {
  const auto config = parse_alloc_config(text, version);
  if (!config) {
    DRYFIT_CHECK(!config.error().what.empty() && !config.error().hint.empty());
    return;
  }
  const SizeRounding round_size(*config, version);
  for (const std::uint64_t request : {1ull, 513ull, 1ull << 20, 3'000'001ull, (1ull << 40) + 1}) {
    DRYFIT_CHECK(round_size(Bytes{request}) >= Bytes{request});
  }
  DRYFIT_CHECK(config->large_segment_size >= kMinLargeAlloc);
  DRYFIT_CHECK(config->garbage_collection_threshold >= 0 && config->garbage_collection_threshold < 1);
}

}  // namespace
}  // namespace dryfit::simulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dryfit::simulator::TorchVersion;
  constexpr TorchVersion kVersions[] = {{1, 13, 1}, {2, 0, 0}, {2, 6, 0}, {2, 9, 0}, {2, 10, 0}, {2, 15, 0}};
  if (size == 0) return 0;
  dryfit::simulator::check({reinterpret_cast<const char*>(data) + 1, size - 1},
                           kVersions[data[0] % std::size(kVersions)]);
  return 0;
}
