// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "replayed_limits.h"

#include <algorithm>
#include <string>

#include "simulator/torch_version.h"

namespace dryfit::cli {
namespace {

simulator::TorchVersion torch_of_run(const verdict::Verdict& verdict, const snapshot::Snapshot& snapshot) {
  const auto noted = verdict.software.find("torch");
  const auto& text = noted == verdict.software.end() ? snapshot.oldest_torch : noted->second;
  const auto version = simulator::parse_torch_version(text);
  return version ? *version : simulator::TorchVersion::newest();
}

}  // namespace

bool uses_cudnn(const verdict::Verdict& verdict) {
  return std::ranges::any_of(verdict.library_parts,
                             [](const auto& part) { return part.first.find("libcudnn") != std::string::npos; });
}

verdict::Limits limits_of(const whatif::CapScan& scan, Bytes outside, bool uses_cudnn) {
  verdict::Limits limits{.to_request = scan.bands.front().peak_reserved + outside,
                         .comfortable_cap = scan.comfortable,
                         .least_cap = scan.least};
  if (!scan.least_is_exact) limits.upper_bound_because = "smaller caps were not tried";
  if (uses_cudnn) limits.upper_bound_because = "cuDNN may continue with a smaller workspace";
  return limits;
}

std::optional<verdict::Limits> limits_by_replay(const verdict::Verdict& verdict, const whatif::Recording& recording) {
  if (!verdict::fitted(verdict.answer)) return std::nullopt;
  const auto scan = whatif::scan_caps(recording, {.torch = recording.torch, .config = recording.config});
  if (!scan || scan->bands.front().peak_reserved.count == 0) return std::nullopt;
  return limits_of(*scan, verdict.outside_high, uses_cudnn(verdict));
}

std::optional<verdict::Limits> limits_by_replay(const verdict::Verdict& verdict, const snapshot::Snapshot& snapshot) {
  if (!verdict::fitted(verdict.answer) || verdict.diagnostics.counts().contains("processes_share_device")) {
    return std::nullopt;
  }
  std::optional<verdict::Limits> largest;
  for (const int device : whatif::recorded_devices(snapshot)) {
    const auto recording = whatif::prepare(snapshot, device, torch_of_run(verdict, snapshot));
    if (!recording) continue;
    const auto limits = limits_by_replay(verdict, *recording);
    if (limits && (!largest || limits->comfortable_cap > largest->comfortable_cap)) largest = limits;
  }
  return largest;
}

}  // namespace dryfit::cli
