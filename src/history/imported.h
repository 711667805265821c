// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "history/record.h"

namespace dryfit::history {

/// What a file of somebody else's told. Where a record's job_id, host or time is empty (or 0), the file does not say it
/// and whoever imports it must.
struct Imported {
  std::vector<Record> records;
  std::map<std::string, std::size_t> left_out;  ///< "the job did not complete" → how many
};

}  // namespace dryfit::history
