// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "explain/explanation.h"

namespace dryfit::explain {

/// When a mark was made on one device: how many allocations and frees there had been (Note [When a mark was made] in
/// the hooks' explain/marks.py).
using Count = std::uint64_t;

/// Index into Marks::names; 0 is the empty text.
using MarkName = std::uint32_t;

/// The program called a module, or one returned.
struct CallMark {
  Count at = 0;
  MarkName module = 0;  ///< that runs from now on; 0: none
  bool entered = false;
  bool with_grad = false;
  bool with_autocast = false;
  bool out_of_memory = false;  ///< a request failed in it; nothing was called, nothing returned
  Bytes cast;                  ///< size of a copy of the module's input, if autocast makes one
};

struct PhaseMark {
  Count at = 0;
  Phase phase = Phase::load;
  std::uint32_t step = 0;
  // The line of the program that began a backward pass; 0: not known.
  MarkName file = 0;
  std::uint32_t line = 0;
  MarkName function = 0;  ///< in an optimizer's phase: its class
};

/// A module returned a tensor.
struct OutputMark {
  Count at = 0;
  std::uint64_t address = 0;
  MarkName type = 0;
};

enum class Role : std::uint8_t { parameter, buffer, gradient, state };

struct SeenTensor {
  Role role = Role::parameter;
  std::uint64_t address = 0;
  Bytes bytes;
  MarkName module = 0;
  MarkName name = 0;
  MarkName type = 0;
};

/// Tensors that existed at that moment.
struct SeenMark {
  Count at = 0;
  std::uint32_t set = 0;  ///< index into Marks::sets
};

/// What the hooks noted about one process on one device.
struct Marks {
  Count end = 0;  ///< when the history was written
  std::vector<std::string> names;
  std::vector<CallMark> calls;
  std::vector<PhaseMark> phases;
  std::vector<OutputMark> outputs;
  std::vector<SeenMark> seen;
  std::vector<std::vector<SeenTensor>> sets;
  std::map<MarkName, std::vector<Bytes>> casts;  ///< by module: its parameters in a lower precision
  std::map<std::pair<std::string, std::uint32_t>, std::string> operators;  ///< by file and line
  std::vector<Bytes> workspaces;                                           ///< possible sizes of a cuBLAS workspace
};

/// Reads marks-<pid>.json. An Error if it is something else, or has a newer version.
Result<Marks> read_marks(const std::filesystem::path& file, int device);
Result<Marks> parse_marks(std::string_view text, int device);

}  // namespace dryfit::explain
