// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "simulator/alloc_config.h"
#include "simulator/torch_version.h"

namespace dryfit::oracle {

/// One operation of a trace and the result from PyTorch's allocator.
struct TraceLine {
  enum class Op { kMalloc, kFree, kRecordStream, kHold, kDone, kEmptyCache, kSetFraction, kResetPeak, kStat };

  std::uint64_t line = 0;  ///< of the file, from 1
  Op op = Op::kStat;
  std::uint64_t id = 0;
  Bytes size;
  std::uint64_t stream = 0;
  double fraction = 0;
  std::vector<std::string_view> answer;  ///< the columns after the operation
};

/// A trace as the oracle's README describes it: settings, column names, operations.
struct OracleTrace {
  std::string text;  ///< what the views below point into
  std::string conf;
  simulator::TorchVersion version;
  Bytes total;
  Bytes context;
  std::optional<double> fraction;
  std::vector<std::string_view> columns;  ///< of the answers
  std::vector<TraceLine> operations;
};

Result<std::unique_ptr<OracleTrace>> read_oracle_trace(const std::string& path);

}  // namespace dryfit::oracle
