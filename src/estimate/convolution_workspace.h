// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "card/card.h"

namespace dryfit::estimate {

/// A two-dimensional convolution, as PyTorch calls cuDNN for it.
struct Convolution {
  std::string type;  ///< element type: "float"
  bool channels_last = false;
  std::int64_t in_channels = 0, height = 0, width = 0;
  std::int64_t out_channels = 0, kernel_height = 0, kernel_width = 0;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  std::int64_t batch = 0;  ///< the last, so that equal shapes stand together in order

  friend auto operator<=>(const Convolution&, const Convolution&) = default;
};

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient };

/// PyTorch has kernels of its own for it, which need no workspace (torch `use_cudnn_depthwise`).
bool is_native_depthwise(const Convolution& convolution);

/// The workspace that cuDNN takes for a convolution: that of the plan that its heuristics put first.
///
/// Note [Workspaces]. Which plan that is, only cuDNN knows; what a plan takes follows from the convolution's sizes. So
/// we queried the real cuDNN for common convolutions on every kind of chip (tools/convolution_workspaces;
/// data/convolutions), and assume that any other convolution gets the plan of the most similar one; if none has the
/// same filter and stride, that is a guess, and counted as one. We split that plan's workspace into the parts that
/// plans are seen to need: a copy of the input, one of the output (both in another layout), one of the weight for each
/// image, copies of the weight, and a part that depends on no size; then we put the parts together again with the sizes
/// of the convolution in question.
class WorkspaceTable {
 public:
  /// Reads a table. An Error if a line of it cannot be parsed.
  static Result<WorkspaceTable> parse(std::string_view text, const std::string& name);

  /// None: the table has nothing like it.
  std::optional<Bytes> workspace(const Convolution& convolution, Pass pass) const;
  /// True if the table has one with the same filter and stride; otherwise the answer is a guess.
  bool knows_kind_of(const Convolution& convolution) const;

 private:
  using Answers = std::array<std::uint64_t, 3>;  ///< by pass
  using Rows = std::map<Convolution, Answers>;
  using Row = Rows::value_type;

  const Row* most_like(const Convolution& convolution) const;
  /// The same shape at the nearest smaller batch, and at the nearest that is not smaller; null: there is none.
  std::pair<const Row*, const Row*> neighbours(const Convolution& convolution) const;

  Rows exact_;
  std::vector<Convolution> shapes_;  ///< of all rows, without a batch
  /// Layout, grouping, filter, stride and dilation of all.
  std::set<std::tuple<bool, int, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> kinds_;
};

/// The tables of all chips. A chip without a table has that of the next older one, else of the oldest.
class Workspaces {
 public:
  /// Loads the tables that these chips need from a folder with "8.6.csv" for each chip.
  static Result<Workspaces> load(const std::filesystem::path& folder, std::span<const ComputeCapability> chips);

  void add(ComputeCapability chip, WorkspaceTable table) { tables_.insert_or_assign(chip, std::move(table)); }
  /// Null: there is none.
  const WorkspaceTable* of(ComputeCapability chip) const;
  bool knows(ComputeCapability chip) const { return tables_.contains(chip); }

 private:
  std::map<ComputeCapability, WorkspaceTable> tables_;
};

}  // namespace dryfit::estimate
