// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
//   whatif_play_fuzz tests/fuzz/snapshot
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "snapshot/reader.h"
#include "snapshot/writer.h"
#include "whatif/prediction.h"

namespace dryfit::whatif {
namespace {

using namespace literals;

void play_under(const Recording& recording, const Conditions& conditions) {
  Prediction prediction(recording, recording.alloc_conf, conditions.torch);
  const auto outcome = play(recording, conditions, &prediction);
  if (!outcome) {
    DRYFIT_CHECK(!outcome.error().what.empty());
    return;
  }
  DRYFIT_CHECK(outcome->complete == !outcome->out_of_memory);
  DRYFIT_CHECK(outcome->peak_reserved >= outcome->allocated_at_peak);
  DRYFIT_CHECK(snapshot::parse_snapshot(snapshot::to_pickle(prediction.snapshot())));
}

/// Whatever a file says happened is played without harm, as recorded and otherwise.
void play_everything(std::string_view bytes) {
  const auto snapshot = snapshot::parse_snapshot(bytes);
  if (!snapshot) return;
  for (const int device : recorded_devices(*snapshot)) {
    const auto recording = prepare(*snapshot, device, {2, 6, 0});
    if (!recording) continue;
    play_under(*recording, {.torch = recording->torch, .config = recording->config});
    auto other = recording->config;
    other.expandable_segments = !other.expandable_segments;
    play_under(*recording, {.torch = {2, 15, 0}, .config = other, .total = 64_MiB, .outside = 8_MiB, .fraction = 0.75});
  }
}

}  // namespace
}  // namespace dryfit::whatif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dryfit::whatif::play_everything({reinterpret_cast<const char*>(data), size});
  return 0;
}
