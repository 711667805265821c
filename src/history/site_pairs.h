// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/record.h"
#include "predictor/site_calibration.h"

namespace dryfit::history {

/// What a card holds beside PyTorch's memory, as far as it is known.
struct Outside {
  Bytes context;
  Bytes libraries;  ///< and loaded code
};

/// A peak of one kind as one of another: what is outside is added or taken away. None where that is not possible: what
/// PyTorch has allocated tells nothing of what it reserved, and nothing is left below zero.
std::optional<Bytes> converted(Bytes peak, PeakKind from, PeakKind to, const Outside& outside);

struct SitePairs {
  std::vector<predictor::SitePair> pairs;       ///< in the order of the records
  std::map<std::string, std::size_t> left_out;  ///< why → how many
  std::int64_t latest = 0;                      ///< when the last of them ended, seconds since 1970
};

/// What was predicted beside what it came to, both of the kind that was predicted. `outside_of` tells of a card by its
/// id; none: the card is not known. Left out are records of which nothing was predicted, and dry runs unless they are
/// asked for.
SitePairs site_pairs(std::span<const Record> records,
                     const std::function<std::optional<Outside>(const std::string&)>& outside_of,
                     bool dry_runs = false);

}  // namespace dryfit::history
