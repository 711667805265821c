// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "history/record.h"

namespace dryfit::history {

/// The records of another program's file. Where a record's job_id, host or time is empty (or 0), the file does not
/// contain it, and the importer must fill it in.
struct Imported {
  std::vector<Record> records;
  std::map<std::string, std::size_t> left_out;  ///< "the job did not complete" → how many
};

}  // namespace dryfit::history
