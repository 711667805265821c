// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_counts.h"

#include <charconv>
#include <utility>

namespace dryfit::cli {
namespace {

/// The first two numbers of a version: 2 and 10 for "2.10.0+cu130".
std::pair<int, int> release_of(std::string_view version) {
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [after, code] = std::from_chars(version.data(), end, major);
  if (code == std::errc() && after != end && *after == '.') std::from_chars(after + 1, end, minor);
  return {major, minor};
}

/// torch.optim.Adafactor estimates the variance with a matrix product.
bool multiplies_matrices(const std::string& optimizer) { return optimizer == "adafactor"; }

std::string kind_of(HarvestJob job, const Card& card) {
  if (!multiplies_matrices(job.optimizer)) job.optimizer = "any";
  const auto [major, minor] = card.compute_capability;
  job.card = std::to_string(major) + "." + std::to_string(minor);
  return key_of(job, "");
}

}  // namespace

bool may_count_while_measuring(std::string_view torch) {
  constexpr std::pair kFirstToKeepObjects{2, 10};
  return release_of(torch) < kFirstToKeepObjects;
}

const analysis::Compute* HarvestCounts::find(const HarvestJob& job, const Card& card) const {
  const auto found = known_.find(kind_of(job, card));
  return found == known_.end() ? nullptr : &found->second;
}

void HarvestCounts::put(const HarvestJob& job, const Card& card, analysis::Compute compute) {
  known_.insert_or_assign(kind_of(job, card), std::move(compute));
}

}  // namespace dryfit::cli
