// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_folds.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace dryfit::training {

Result<JobFolds> fold_by_family(std::span<const predictor::HarvestExample> examples, std::size_t count) {
  std::map<std::string, std::size_t> sizes;
  for (const auto& example : examples) ++sizes[example.family];
  if (count < 2 || sizes.size() < count) {
    return Error{"the harvest has examples of " + std::to_string(sizes.size()) + " families, too few for " +
                     std::to_string(count) + " folds",
                 "Harvest more architectures."};
  }
  std::vector<std::pair<std::string, std::size_t>> families(sizes.begin(), sizes.end());
  std::ranges::stable_sort(families, std::greater<>(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::size_t> taken(count);
  std::map<std::string, std::size_t> fold_of_family;
  for (const auto& [family, size] : families) {
    const auto fold = static_cast<std::size_t>(std::ranges::min_element(taken) - taken.begin());
    fold_of_family[family] = fold;
    taken[fold] += size;
  }
  JobFolds folds{.count = count};
  for (const auto& example : examples) folds.fold_of.push_back(fold_of_family[example.family]);
  return folds;
}

}  // namespace dryfit::training
