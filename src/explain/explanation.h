// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"

/// Where the memory of a run went: every allocation of one process on one device, its purpose and its owner. Plain
/// data, made by explain.h; reports, tables and exports read it and nothing else.
namespace dryfit::explain {

/// What an allocation is for. The order is that in which tables and charts show them.
enum class Category : std::uint8_t {
  parameters,
  gradients,
  optimizer_state,
  activations,  ///< made in a forward pass and kept for the backward pass
  inputs,       ///< made outside the model and there when it was called
  buffers,
  autocast,       ///< copies of parameters or inputs in another precision
  workspaces,     ///< of cuBLAS, cuDNN and kernels: not a tensor of the program
  communication,  ///< of torch.distributed
  temporaries,    ///< freed by the end of the pass that made them
  unknown,
};
inline constexpr std::size_t kCategories = 11;

/// "optimizer_state": for programs, stable.
std::string_view to_text(Category category);
/// "optimizer state": for people.
std::string_view to_words(Category category);

enum class Phase : std::uint8_t { load, forward, backward, optimizer, other };
std::string_view to_text(Phase phase);

/// Index of an allocator event, in the order in which they happened, from 0.
using Event = std::uint32_t;
inline constexpr Event kNever = ~Event{0};

/// Index into Explanation::names; 0 is the empty text: none, or not known.
using NameId = std::uint32_t;
/// Index into Explanation::lines or ::stacks.
using LineId = std::uint32_t;
using StackId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A line of the program, or of a library that it uses.
struct Line {
  NameId file = 0;  ///< the path as Python knows it
  std::uint32_t line = 0;
  NameId function = 0;
  bool is_library = false;  ///< in PyTorch, Python or an installed package
};

/// A piece of memory that the program held from `born` on, until `died`.
struct Allocation {
  Event born = 0;  ///< also 0 if it existed before the recording began
  Event died = kNever;
  std::uint64_t address = 0;
  Bytes bytes;      ///< as PyTorch counts them: the size of the block
  Bytes requested;  ///< as the program requested them
  Category category = Category::unknown;
  NameId module = 0;       ///< "GPT2LMHeadModel.transformer.h.0.attn.c_attn"; for a gradient or state, its parameter's
  NameId op = 0;           ///< "addmm"; in a backward pass "addmm (backward)"
  NameId tensor = 0;       ///< "weight", "weight.grad", "exp_avg of weight": within the module; mostly not known
  NameId type = 0;         ///< "float32 [768, 2304]", if a tensor was seen
  LineId line = kNone;     ///< the innermost line of the user's own code
  StackId stack = kNone;   ///< the call stack that made it
  std::uint32_t step = 0;  ///< in which it was made: 1 is the first, 0 before it
  Phase phase = Phase::load;
  bool is_inferred = false;  ///< module and op were inferred from what lived and died around it
};

/// From this event on, until the next span begins.
struct Span {
  Event begin = 0;
  std::uint32_t step = 0;  ///< 1 is the first; 0 before it
  Phase phase = Phase::load;
};

/// From this event on, PyTorch had reserved this many bytes.
struct Reserved {
  Event begin = 0;
  Bytes bytes;
};

struct SegmentBlock {
  std::uint64_t address = 0;
  Bytes bytes;
  std::uint32_t allocation = kNone;  ///< kNone: free
};

/// A contiguous piece of device memory that PyTorch holds.
struct Segment {
  std::uint64_t address = 0;
  Bytes bytes;
  bool is_small = false;  ///< in the pool for requests of up to 1 MiB
  bool is_expandable = false;
  std::vector<SegmentBlock> blocks;  ///< in address order; they fill it
};

/// A request that failed.
struct Failure {
  Event event = 0;
  Bytes requested;
  NameId module = 0;
  LineId line = kNone;
  StackId stack = kNone;
};

/// The moment that is explained: the first at which most was allocated, or the failure if the program ran out of memory
/// and did not continue.
///
///     allocated = sum of categories = sum of the allocations that live then      (to the byte)
///     reserved  = allocated + cached
struct Moment {
  Event event = 0;  ///< allocations with born <= event < died are live
  std::uint32_t step = 0;
  Phase phase = Phase::load;
  Bytes allocated;
  Bytes reserved;
  Bytes cached;  ///< reserved and not allocated
  std::array<Bytes, kCategories> categories;
  std::vector<Segment> segments;

  Bytes of(Category category) const { return categories[static_cast<std::size_t>(category)]; }
};

/// What the device held beside PyTorch's memory when it was fullest.
struct Outside {
  Bytes context;
  Bytes libraries;
  Bytes code;

  Bytes sum() const { return context + libraries + code; }
};

struct Explanation {
  // The process that this memory belongs to.
  std::uint32_t pid = 0;
  std::size_t processes = 1;  ///< recorded in the run; this is the one that allocated most
  int device = 0;
  std::string card;   ///< id; empty: not known
  std::string torch;  ///< version; empty: not known

  std::vector<std::string> names;           ///< each once; the first is empty
  std::vector<Line> lines;                  ///< each once
  std::vector<std::vector<LineId>> stacks;  ///< innermost first; each once
  std::vector<Allocation> allocations;      ///< by `born`
  std::vector<std::int64_t> times_us;       ///< of each event, since the first; size() is the number of events
  std::vector<Span> spans;                  ///< by `begin`; the first begins at 0
  std::vector<Reserved> reserved;           ///< by `begin`; the first begins at 0
  Moment peak;                              ///< the moment that is explained
  std::optional<Failure> failure;           ///< if set, `peak` is this moment
  Bytes peak_reserved;                      ///< at any time
  std::optional<Outside> outside;           ///< unknown for a snapshot from elsewhere
  bool has_marks = false;                   ///< false: a history alone, and most categories are unknown
  bool from_beginning = true;               ///< false: the recording starts in the middle of the run
  Diagnostics diagnostics;

  const std::string& name(NameId id) const { return names[id]; }
};

}  // namespace dryfit::explain
