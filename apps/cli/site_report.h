// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "predictor/site_assessment.h"
#include "report/style.h"

namespace dryfit::cli {

/// What `dryfit learn --from-history` found, and where it wrote it.
struct SiteReport {
  std::string history;
  std::string calibration;
  double coverage = 0;
  std::size_t records = 0;                      ///< learned from
  std::map<std::string, std::size_t> left_out;  ///< why → how many
  predictor::SiteAssessment assessment;
};

/// A table with a row per group, and a note for each that drifts.
std::string site_text(const SiteReport& report, const report::Style& style);

/// One line of JSON: docs/observe.md.
std::string site_json(const SiteReport& report, std::string_view version);

}  // namespace dryfit::cli
