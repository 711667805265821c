// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/measurement.h"

#include <algorithm>

namespace dryfit::meter {
namespace {

using history::Outcome;
using history::PeakKind;
using history::Record;

Record of_torch(const TorchNote& note) {
  return {.source = "torch", .card = note.card, .kind = PeakKind::reserved, .peak = note.reserved_peak};
}

Record of_nvml(const GpuPeak& peak) {
  return {.source = peak.accounted ? "nvml-accounting" : "nvml",
          .card = peak.card,
          .kind = PeakKind::device,
          .peak = peak.peak};
}

}  // namespace

Result<Record> record_of(const GpuFindings& gpu, std::span<const TorchNote> torch) {
  const auto fullest = std::ranges::max_element(torch, {}, &TorchNote::reserved_peak);
  const bool counted = fullest != torch.end() && fullest->reserved_peak > Bytes{0};
  if (!gpu.fullest && !counted) {
    return Error{"nothing was measured: " + gpu.missing + ", and no Python process reported what PyTorch reserved",
                 "See \"Running a command\" in docs/observe.md, or record your own number with --peak."};
  }
  const bool by_nvml = gpu.fullest && (!counted || gpu.fullest->peak >= fullest->reserved_peak);
  auto record = by_nvml ? of_nvml(*gpu.fullest) : of_torch(*fullest);
  if (counted) record.software = fullest->software;
  if (std::ranges::any_of(torch, [](const TorchNote& note) { return note.ooms > 0; })) {
    record.outcome = Outcome::out_of_memory;
  }
  return record;
}

}  // namespace dryfit::meter
