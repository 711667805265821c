// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/page_payload.h"

#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "report/call_tree.h"
#include "report/json.h"

namespace dryfit::report {
namespace {

using explain::Allocation;
using explain::Explanation;
using explain::kNone;
using Json = nlohmann::ordered_json;

/// Fast enough for 200,000 allocations in a tenth of a second, and within some per cent of the best.
constexpr int kEffort = 6;

/// An index from 1, so that 0 can be none.
std::uint64_t from_one(std::uint32_t index) { return index == kNone ? 0 : std::uint64_t{index} + 1; }

class Columns {
 public:
  /// One column: `value` of each row.
  template <typename Rows, typename Value>
  void add(const Rows& rows, Value value) {
    for (const auto& row : rows) append(value(row));
  }

  /// One column of values that never fall, each less the one before.
  template <typename Rows, typename Value>
  void add_rising(const Rows& rows, Value value) {
    std::uint64_t before = 0;
    for (const auto& row : rows) {
      append(value(row) - before);
      before = value(row);
    }
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value % 128 + 128));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

std::uint64_t lived(const Allocation& each) { return each.died == explain::kNever ? 0 : each.died - each.born; }

void add_allocations(Columns& columns, const Explanation& explanation, const CallTree& tree) {
  const auto& rows = explanation.allocations;
  columns.add_rising(rows, [](const Allocation& each) { return std::uint64_t{each.born}; });
  columns.add(rows, lived);
  columns.add(rows, [](const Allocation& each) { return each.bytes.count; });
  columns.add(rows, [](const Allocation& each) { return (each.bytes - each.requested).count; });
  columns.add(rows, [](const Allocation& each) { return static_cast<std::uint64_t>(each.category); });
  columns.add(rows, [](const Allocation& each) { return std::uint64_t{each.is_inferred}; });
  for (const auto name : {&Allocation::module, &Allocation::op, &Allocation::tensor, &Allocation::type}) {
    columns.add(rows, [name](const Allocation& each) { return std::uint64_t{each.*name}; });
  }
  columns.add(rows, [](const Allocation& each) { return from_one(each.line); });
  columns.add(rows, [&](const Allocation& each) {
    return each.stack == kNone ? std::uint64_t{0} : from_one(tree.innermost[each.stack]);
  });
}

void add_lines(Columns& columns, const Explanation& explanation, const CallTree& tree) {
  using explain::Line;
  columns.add(explanation.lines, [](const Line& line) { return std::uint64_t{line.file}; });
  columns.add(explanation.lines, [](const Line& line) { return std::uint64_t{line.line}; });
  columns.add(explanation.lines, [](const Line& line) { return std::uint64_t{line.function}; });
  columns.add(tree.frames, [](const CallTree::Frame& frame) { return from_one(frame.caller); });
  columns.add(tree.frames, [](const CallTree::Frame& frame) { return from_one(frame.line); });
}

void add_reserved(Columns& columns, const Explanation& explanation) {
  using explain::Reserved;
  columns.add_rising(explanation.reserved, [](const Reserved& each) { return std::uint64_t{each.begin}; });
  columns.add(explanation.reserved, [](const Reserved& each) { return each.bytes.count; });
}

void add_segments(Columns& columns, const std::vector<explain::Segment>& segments) {
  using explain::Segment;
  columns.add(segments, [](const Segment& each) { return each.bytes.count; });
  columns.add(segments, [](const Segment& each) { return std::uint64_t{each.is_small} + 2 * each.is_expandable; });
  columns.add(segments, [](const Segment& each) { return std::uint64_t{each.blocks.size()}; });
  std::vector<explain::SegmentBlock> blocks;
  for (const auto& segment : segments) blocks.insert(blocks.end(), segment.blocks.begin(), segment.blocks.end());
  columns.add(blocks, [](const explain::SegmentBlock& each) { return each.bytes.count; });
  columns.add(blocks, [](const explain::SegmentBlock& each) { return from_one(each.allocation); });
}

Json categories_json() {
  Json list = Json::array();
  for (std::size_t i = 0; i < explain::kCategories; ++i) {
    const auto category = static_cast<explain::Category>(i);
    list.push_back({{"key", to_text(category)}, {"label", to_words(category)}});
  }
  return list;
}

Json spans_json(const Explanation& explanation) {
  Json list = Json::array();
  for (const auto& span : explanation.spans) {
    list.push_back({{"at", span.begin}, {"step", span.step}, {"phase", to_text(span.phase)}});
  }
  return list;
}

Json failure_json(const Explanation& explanation) {
  if (!explanation.failure) return nullptr;
  const auto& failure = *explanation.failure;
  return {{"requested", failure.requested.count},
          {"module", explanation.name(failure.module)},
          {"line", from_one(failure.line)}};
}

Json head_json(const Explanation& explanation, const CallTree& tree) {
  return {{"card", explanation.card},
          {"torch", explanation.torch},
          {"pid", explanation.pid},
          {"processes", explanation.processes},
          {"device", explanation.device},
          {"events", explanation.times_us.size()},
          {"peak", explanation.peak.event},
          {"failure", failure_json(explanation)},
          {"hasMarks", explanation.has_marks},
          {"fromBeginning", explanation.from_beginning},
          {"categories", categories_json()},
          {"spans", spans_json(explanation)},
          {"names", explanation.names},
          {"diagnostics", diagnostics_json(explanation.diagnostics)},
          {"allocations", explanation.allocations.size()},
          {"lineCount", explanation.lines.size()},
          {"frameCount", tree.frames.size()},
          {"reservedChanges", explanation.reserved.size()},
          {"segmentCount", explanation.peak.segments.size()}};
}

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

std::string deflated(const std::string& bytes) {
  auto size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const auto status =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), kEffort);
  DRYFIT_CHECK(status == Z_OK);
  result.resize(size);
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto left = bytes.size() - i;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) text.push_back(k <= left ? kDigits[group >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

}  // namespace

std::string packed(const std::string& bytes) { return base64(deflated(bytes)); }

std::string page_payload(const Explanation& explanation) {
  const auto tree = call_tree(explanation.stacks);
  const auto head = head_json(explanation, tree).dump(-1, ' ', false, Json::error_handler_t::replace);
  Columns columns;
  add_allocations(columns, explanation, tree);
  add_lines(columns, explanation, tree);
  add_reserved(columns, explanation);
  add_segments(columns, explanation.peak.segments);
  return packed(little_endian(static_cast<std::uint32_t>(head.size())) + head + columns.bytes());
}

}  // namespace dryfit::report
