// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dryfit::estimate {

/// A parameter or buffer of the model.
struct ModelTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype;  ///< "float32"
  Bytes bytes;        ///< 0 for one that is tied to another
  bool requires_grad = false;
};

struct OptimizerFacts {
  std::string class_name;                       ///< "torch.optim.adamw.AdamW"
  std::map<std::string, std::string> defaults;  ///< as JSON: "0.9", "false", "null"
  std::vector<std::size_t> parameters;          ///< into Metadata::parameters
  std::optional<bool> foreach;
  std::optional<bool> fused;

  /// A default that is a number other than 0, true, or a text.
  bool is_set(const std::string& name) const;
};

/// What `dryfit profile` adds to the profiler's trace (docs/estimate.md). All of it is optional; `present` is true if
/// there was any.
struct Metadata {
  static constexpr int kFormat = 1;

  bool present = false;
  std::string torch;
  std::string python;
  std::vector<std::string> command;
  std::vector<ModelTensor> parameters;
  std::vector<ModelTensor> buffers;
  std::vector<OptimizerFacts> optimizers;
  bool loaded_in_trace = false;
  bool ran_foreach = false;
  bool ran_native_dropout = false;
  bool ran_cuda_attention = false;
  bool cudnn_benchmark = false;
  std::map<std::string, std::string> environment;  ///< variables that affect a GPU's memory
  std::string ended;
  std::optional<std::uint64_t> batch;       ///< of a shrunk run
  std::optional<std::uint64_t> full_batch;  ///< that the program requested
};

/// Reads the value of the key "dryfit". An Error for a format that is newer than this reader, or for text that is not
/// JSON; values of unexpected types are ignored.
Result<Metadata> parse_metadata(std::string_view json);

}  // namespace dryfit::estimate
