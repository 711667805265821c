// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/data_places.h"
#include "predictor/data_set.h"

namespace dryfit::predictor {

/// A data set that can be selected by name, with its features and folds.
struct DataSetEntry {
  std::string_view name;
  std::vector<std::string_view> features;  ///< names of its feature sets, the usual one first

  /// The protocols to develop with, the usual one first. All others are kept for the last test, so that no choice
  /// depends on them.
  std::vector<std::string_view> open_folds;

  Result<DataSet> (*read)(const DataPlaces& places, std::string_view protocol, std::string_view features);

  bool is_held_out(std::string_view protocol) const;
};

std::span<const DataSetEntry> all_data_sets();

/// An Error lists the known names.
Result<const DataSetEntry*> find_data_set(std::string_view name);

/// An Error if the data set has no such features, or a table is invalid.
Result<DataSet> read_data_set(const DataSetEntry& entry, const DataPlaces& places, std::string_view protocol,
                              std::string_view features);

}  // namespace dryfit::predictor
