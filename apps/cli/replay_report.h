// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay_source.h"
#include "report/style.h"
#include "whatif/answer.h"

namespace dryfit::cli {

/// One configuration on one card.
struct ReplayRow {
  std::optional<Card> card;  ///< none: as much memory as it wants
  whatif::Outside outside;
  std::string alloc_conf;
  whatif::Answer answer;
  bool is_best = false;  ///< of a sweep: the best on this card
};

/// Everything that `dryfit replay` has found out.
struct ReplayReport {
  const ReplaySource* source = nullptr;
  const whatif::Recording* recording = nullptr;
  bool torch_known = true;    ///< false: the recorded version was inferred from the file
  std::size_t devices = 1;    ///< recorded
  bool device_asked = false;  ///< false: the fullest
  simulator::TorchVersion torch;
  std::optional<double> fraction;
  bool swept = false;
  std::vector<ReplayRow> rows;  ///< card by card
};

/// For a person: what was recorded, a table, and what the table has no room for.
std::string replay_text(const ReplayReport& report, const report::Style& style);

/// For a program, as one line (docs/json.md).
std::string replay_json(const ReplayReport& report);

}  // namespace dryfit::cli
