// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "site_bounds.h"

#include <mutex>
#include <system_error>
#include <utility>

#include "history/record.h"
#include "history/times.h"
#include "history_place.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

/// A stream may keep using new coverages; beyond this many, all are forgotten.
constexpr std::size_t kMostKept = 10'000;

std::string day_of(std::int64_t seconds) {
  constexpr std::size_t kDayLength = 10;
  return seconds == 0 ? "" : history::time_text(seconds).substr(0, kDayLength);
}

SiteCorrection corrected_by(const fs::path& file, history::KeptCalibration calibration) {
  return {.bounds = std::make_unique<const SiteBounds>(file, std::move(calibration)), .problem = ""};
}

/// Without a requested calibration it is fine if there is none.
SiteCorrection default_correction(const std::vector<std::string>& environment) {
  const auto history = history_file({}, environment);
  if (!history) return {};
  const auto file = history::calibration_beside(*history);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  auto calibration = history::read_calibration(file);
  if (calibration) return corrected_by(file, std::move(calibration).value());
  return {.bounds = nullptr, .problem = calibration.error().what + ". " + calibration.error().hint};
}

}  // namespace

SiteBounds::SiteBounds(fs::path file, history::KeptCalibration calibration)
    : file_(std::move(file)),
      calibration_(std::move(calibration.site)),
      records_(calibration_.size()),
      day_(day_of(calibration.latest)) {}

double SiteBounds::shift(std::string_view card, std::string_view model, double coverage) const {
  const ShiftKey key{{std::string(card), history::family_of_model(model)}, coverage};
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = shifts_.find(key); found != shifts_.end()) return found->second;
  }
  const double shift = calibration_.shift(coverage, key.group);
  const std::unique_lock lock(mutex_);
  if (shifts_.size() >= kMostKept) shifts_.clear();
  shifts_.emplace(key, shift);
  return shift;
}

Result<SiteCorrection> site_correction(const CalibrationChoice& choice, const std::vector<std::string>& environment) {
  if (choice.none && !choice.file.empty()) {
    return Error{"both --calibration and --no-calibration given", "Give only one of them."};
  }
  if (choice.none) return SiteCorrection{};
  if (choice.file.empty()) return default_correction(environment);
  auto calibration = history::read_calibration(choice.file);
  if (!calibration) return calibration.error();
  return corrected_by(choice.file, std::move(calibration).value());
}

}  // namespace dryfit::cli
