// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_shares.h"

#include <algorithm>

#include "harvest_row.h"

namespace dryfit::cli {

std::vector<std::vector<HarvestJob>> shares_of(const std::vector<HarvestJob>& jobs, std::size_t tasks) {
  std::vector<std::vector<HarvestJob>> shares(std::min(tasks, jobs.size()));
  for (std::size_t i = 0; i < jobs.size(); ++i) shares[i % shares.size()].push_back(jobs[i]);
  return shares;
}

std::string grid_text(const std::vector<HarvestJob>& jobs) {
  std::string text = "{\"jobs\": [";
  for (const auto& job : jobs) text += (text.ends_with('[') ? "\n " : ",\n ") + description_of(job);
  return text + "\n]}\n";
}

}  // namespace dryfit::cli
