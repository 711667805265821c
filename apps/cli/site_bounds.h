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

/// Corrects upper bounds by what this site saw (Note [Site calibration]). What the calibration says of a card and a
/// family is worked out once, as streams ask it for every line. May be used by many threads at once.
class SiteBounds {
 public:
  SiteBounds(std::filesystem::path file, history::KeptCalibration calibration);

  /// By how much ln(bound) of a model on a card is raised; `card` is its id.
  double shift(std::string_view card, std::string_view model, double coverage) const;

  const std::filesystem::path& file() const { return file_; }
  std::size_t records() const { return records_; }

  /// The day of the last record, "2026-11-02"; empty: not known.
  const std::string& day() const { return day_; }

 private:
  struct Asked {
    predictor::SiteGroup group;
    double coverage;

    friend auto operator<=>(const Asked&, const Asked&) = default;
  };

  std::filesystem::path file_;
  predictor::SiteCalibration calibration_;
  std::size_t records_;
  std::string day_;
  mutable std::shared_mutex mutex_;
  mutable std::map<Asked, double> shifts_;
};

/// How this site corrects bounds.
struct SiteCorrection {
  std::unique_ptr<const SiteBounds> bounds;  ///< null: not at all
  std::string problem;                       ///< why a calibration that is there is not used; empty: nothing is wrong
};

/// Which calibration the user asks for.
struct CalibrationChoice {
  std::filesystem::path file;  ///< empty: the one beside the default history, if there is one
  bool none = false;
};

/// A file that is named and cannot be used is an Error; one that is only found is a problem. `environment` is as of
/// history_file().
Result<SiteCorrection> site_correction(const CalibrationChoice& choice, const std::vector<std::string>& environment);

}  // namespace dryfit::cli
