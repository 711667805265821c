// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "estimate/metadata.h"

/// A CPU profile of PyTorch (torch.profiler), as compact data. Read by profile_reader.h.
namespace dryfit::estimate {

/// Nanoseconds on the profiler's own clock.
using Time = std::int64_t;

/// Texts, each stored once and identified by a number.
class TextTable {
 public:
  using Id = std::uint32_t;
  TextTable() = default;
  TextTable(TextTable&&) = default;  // no copies: numbers lead to the texts of one table
  TextTable& operator=(TextTable&&) = default;
  Id id_of(std::string_view text);
  std::string_view operator[](Id id) const { return *texts_[id]; }
  /// None: the table has no such text.
  std::optional<Id> find(std::string_view text) const;
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, Id, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;
};

/// One input of an operator, as recorded by record_shapes.
struct Input {
  std::string type;                ///< "float", "c10::BFloat16", "Scalar"; empty: none was given
  std::vector<std::int64_t> dims;  ///< of a tensor
  std::vector<std::int64_t> strides;
  std::string value;  ///< of a number or a list of numbers, if the profiler recorded it: "[1, 1]"
};
using Inputs = std::vector<Input>;

/// Something that began and ended on a thread.
struct Span {
  enum class Kind : std::uint8_t { op, annotation, module };
  static constexpr std::int32_t kNoSequence = -1;

  Time start = 0;
  Time end = 0;
  TextTable::Id name = 0;
  TextTable::Id inputs = 0;  ///< into Profile::inputs; 0: none recorded
  std::uint32_t thread = 0;  ///< small numbers in the order in which threads appear
  std::int32_t sequence = kNoSequence;
  Kind kind = Kind::op;
};

/// An allocation (bytes > 0) or a free (bytes < 0).
struct MemoryRecord {
  Time time = 0;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::uint32_t thread = 0;
  bool on_gpu = false;
};

struct Profile {
  std::vector<Span> spans;
  std::vector<MemoryRecord> memory;
  TextTable names;
  TextTable inputs;  ///< as JSON; the first is empty
  Metadata metadata;
  bool has_shapes = false;
  std::string damage;  ///< why the trace is incomplete; empty: it is complete
  std::uint64_t json_bytes = 0;
  std::uint64_t events = 0;  ///< all events in the file, also those without memory data
  Diagnostics diagnostics;
};

/// Parses the text of an entry of Profile::inputs. What cannot be parsed is left out.
Inputs parse_inputs(std::string_view json);

}  // namespace dryfit::estimate
