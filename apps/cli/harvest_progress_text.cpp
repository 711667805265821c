// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harvest_progress.h"

namespace dryfit::cli {
namespace {

std::string duration_in_words(double seconds) {
  if (seconds < 90) return std::to_string(std::lround(seconds)) + " s";
  if (seconds < 90 * 60) return std::to_string(std::lround(seconds / 60)) + " min";
  return std::to_string(std::lround(seconds / 3600)) + " h";
}

}  // namespace

std::string harvest_progress_text(const HarvestState& state) {
  auto text = "dryfit: " + std::to_string(state.done) + " of " + std::to_string(state.all) + " jobs done, " +
              std::to_string(state.running) + " running";
  if (state.done == 0) return text;
  const auto each = state.elapsed_seconds / static_cast<double>(state.done);
  return text + ", about " + duration_in_words(each * static_cast<double>(state.all - state.done)) + " left";
}

std::string array_progress_text(const ArrayProgress& progress) {
  auto text = "dryfit: " + std::to_string(progress.done) + " of " + std::to_string(progress.all) +
              " jobs done, tasks: " + std::to_string(progress.running) + " running, " +
              std::to_string(progress.waiting) + " waiting";
  return progress.waiting == 0 || progress.reason.empty() ? text : text + " (" + progress.reason + ")";
}

}  // namespace dryfit::cli
