// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predictor/site_calibration.h"

namespace dryfit::history {

/// Where the calibration from a history is kept: "history.calibration.json" beside "history.db".
std::filesystem::path calibration_beside(const std::filesystem::path& history);

/// A calibration as it is kept.
struct KeptCalibration {
  predictor::SiteCalibration site;
  std::int64_t latest = 0;  ///< when the last of its records ended, seconds since 1970; 0: not known

  friend bool operator==(const KeptCalibration&, const KeptCalibration&) = default;
};

/// As JSON. Note [Calibration file]. It holds the evidence of the records, not the bounds that follow from it, so that
/// it serves any coverage: for each group the triples [ln(actual / median), ln(upper / median) / normal quantile of its
/// coverage, whether it is a lower limit]. The same calibration gives the same bytes.
///
///     {"format":"dryfit-site-calibration","version":1,"latest":1793612100,
///      "groups":[{"card":"rtx-4090-24gb","family":"resnet","records":[[-0.012,0.041,false],[0.31,0.041,true]]}],
///      "checksum":"0123456789abcdef"}
///
/// The checksum is the CRC-64 of the same line without it; a file without one is read as it is.
std::string calibration_text(const KeptCalibration& calibration);

/// The inverse. An Error, which mentions `name`, if the text is something else, of a newer version or damaged.
Result<KeptCalibration> parse_calibration(std::string_view text, const std::string& name);

/// The same from a file.
Result<KeptCalibration> read_calibration(const std::filesystem::path& file);

}  // namespace dryfit::history
