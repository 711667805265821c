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

/// What a GPU holds beside PyTorch's memory, as far as it is known.
struct Outside {
  Bytes context;
  Bytes libraries;  ///< and loaded code
};

/// Converts a peak of one kind to another: what is outside is added or subtracted. None if that is not possible: what
/// PyTorch allocated says nothing about what it reserved, and no peak is zero or negative.
std::optional<Bytes> converted(Bytes peak, PeakKind from, PeakKind to, const Outside& outside);

struct SitePairs {
  std::vector<predictor::SitePair> pairs;       ///< in the order of the records
  std::map<std::string, std::size_t> left_out;  ///< why → how many
  std::int64_t latest = 0;                      ///< when the last of them ended, seconds since 1970
};

/// Pairs of predicted and actual peaks, both of the kind that was predicted. `outside_of` looks a GPU up by its id;
/// none: the GPU is not known. Records without a prediction are left out, and so are dry runs unless `dry_runs`.
SitePairs site_pairs(std::span<const Record> records,
                     const std::function<std::optional<Outside>(const std::string&)>& outside_of,
                     bool dry_runs = false);

}  // namespace dryfit::history
