// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "card/catalogue.h"
#include "harvest_file.h"
#include "harvest_grid.h"
#include "harvest_process.h"
#include "harvest_row.h"

namespace dryfit::cli {

struct HarvestConditions {
  ProcessConditions process;
  std::string torch;           ///< its version, for the keys
  std::string version;         ///< ours
  const Catalogue* catalogue;  ///< knows every card of the jobs
  std::size_t at_once = 1;
  bool count_while_measuring = false;  ///< if not, counting floating-point operations takes a second run
  RowLayers layers = RowLayers::included;
  bool afresh = false;  ///< each job in a Python process of its own: Note [Forked jobs]
};

struct HarvestTally {
  std::size_t done = 0;        ///< rows written
  std::size_t failed = 0;      ///< those of jobs that failed
  std::size_t killed = 0;      ///< jobs killed from outside; they are not in the file
  bool interrupted = false;    ///< by a signal; jobs that were running are not in the file
  std::optional<Error> error;  ///< why it ended early
};

/// Runs the jobs in parallel and writes a row as each one ends. Shows progress on stderr.
HarvestTally harvest_all(const std::vector<HarvestJob>& jobs, const HarvestConditions& conditions, HarvestFile& file);

}  // namespace dryfit::cli
