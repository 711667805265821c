// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate_source.h"

#include <string>
#include <utility>

#include "estimate/shrink.h"

namespace dryfit::cli {
namespace {

using estimate::Profile;
using estimate::Recording;
using estimate::Shrunk;

constexpr const char* kHowToShrink = "Make two with `dryfit profile --shrink batch=4,8 -- COMMAND`.";

/// One trace holds for its own batch only.
Result<Recording> alone(const std::filesystem::path& trace, std::optional<std::uint64_t> batch,
                        const estimate::Progress& progress) {
  auto recording = estimate::read_recording(trace, progress);
  if (!recording) return recording.error();
  const auto own = recording->profile().metadata.batch;
  if (!batch || batch == own) return recording;
  return Error{"'" + trace.string() + "' " +
                   (own ? "was made at batch " + std::to_string(*own) : std::string("does not record its batch")) +
                   "; an estimate for batch " + std::to_string(*batch) + " needs two traces at smaller batches",
               kHowToShrink};
}

Result<Recording> together(std::vector<Shrunk> shrunk, std::optional<std::uint64_t> batch) {
  if (!batch) batch = shrunk.front().profile.metadata.full_batch;
  if (!batch) return Error{"the batch to estimate is not known", "Give it with --batch, for example --batch 64."};
  auto found = estimate::extrapolate(std::move(shrunk), *batch);
  if (!found) return found.error();
  return Recording(std::move(found->profile));
}

}  // namespace

Result<Recording> read_traces(const std::vector<std::filesystem::path>& traces, std::optional<std::uint64_t> batch,
                              const estimate::Progress& progress) {
  if (traces.size() == 1) return alone(traces.front(), batch, progress);
  std::vector<Shrunk> shrunk;
  for (const auto& trace : traces) {
    auto profile = estimate::read_profile(trace, progress);
    if (!profile) return profile.error();
    if (!profile->damage.empty()) return Error{"'" + trace.string() + "': " + profile->damage, kHowToShrink};
    const auto own = profile->metadata.batch;
    if (!own) return Error{"'" + trace.string() + "' does not record its batch", kHowToShrink};
    shrunk.push_back({*own, std::move(profile).value()});
  }
  return together(std::move(shrunk), batch);
}

}  // namespace dryfit::cli
