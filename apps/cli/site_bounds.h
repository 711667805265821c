// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "history/calibration_file.h"

namespace dryfit::cli {

/// Corrects upper bounds by what this site observed (Note [Site calibration]). The correction for a card and a family
/// is computed once and kept, as streams need it for every line. Thread-safe.
class SiteBounds {
 public:
  SiteBounds(std::filesystem::path file, history::KeptCalibration calibration);

  /// How much to add to ln(bound) for a model on a card; `card` is its id.
  double shift(std::string_view card, std::string_view model, double coverage) const;

  const std::filesystem::path& file() const { return file_; }
  std::size_t records() const { return records_; }

  /// The day of the last record, "2026-11-02"; empty: unknown.
  const std::string& day() const { return day_; }

 private:
  struct ShiftKey {
    predictor::SiteGroup group;
    double coverage;

    friend auto operator<=>(const ShiftKey&, const ShiftKey&) = default;
  };

  std::filesystem::path file_;
  predictor::SiteCalibration calibration_;
  std::size_t records_;
  std::string day_;
  mutable std::shared_mutex mutex_;
  mutable std::map<ShiftKey, double> shifts_;
};

/// How this site corrects bounds.
struct SiteCorrection {
  std::unique_ptr<const SiteBounds> bounds;  ///< null: not at all
  std::string problem;                       ///< why an existing calibration is not used; empty: nothing is wrong
};

/// Which calibration the user requested.
struct CalibrationChoice {
  std::filesystem::path file;  ///< empty: the one beside the default history, if there is one
  bool none = false;
};

/// A file that the user named and that cannot be used is an Error; a default one is only a problem. `environment` is
/// that of history_file().
Result<SiteCorrection> site_correction(const CalibrationChoice& choice, const std::vector<std::string>& environment);

}  // namespace dryfit::cli
