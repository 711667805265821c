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

/// One configuration on one GPU.
struct ReplayRow {
  std::optional<Card> card;  ///< none: as much memory as it needs
  whatif::Outside outside;
  std::optional<Bytes> cap;  ///< on PyTorch's allocator
  std::string alloc_conf;
  whatif::Answer answer;
  bool is_best = false;  ///< in a sweep: the best on this GPU
};

/// The results of `dryfit replay`.
struct ReplayReport {
  const ReplaySource* source = nullptr;
  const whatif::Recording* recording = nullptr;
  bool torch_known = true;    ///< false: the recorded version was inferred from the file
  std::size_t devices = 1;    ///< recorded
  bool device_given = false;  ///< false: the fullest was chosen
  simulator::TorchVersion torch;
  std::optional<double> fraction;
  bool swept = false;
  std::vector<ReplayRow> rows;  ///< GPU by GPU
};

/// For a person: what was recorded, a table, and what the table has no room for. No wider than the style says.
std::string replay_text(const ReplayReport& report, const report::Style& style);

/// For a program, as one line (docs/json.md).
std::string replay_json(const ReplayReport& report);

}  // namespace dryfit::cli
