// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text_file.h"

namespace dryfit::oracle {
namespace {

using simulator::BlockInfo;
using simulator::BlockState;
using simulator::SegmentInfo;
using Fields = std::vector<std::string_view>;

/// "# torch: 2.6.0+cu124" and "# allocator_settings: {...}"; everything else is for people.
Status read_comment(std::string_view line, Recording& recording) {
  constexpr std::string_view kTorch = "# torch: ";
  constexpr std::string_view kSettings = "# allocator_settings: ";
  if (line.starts_with(kTorch)) {
    const auto version = simulator::parse_torch_version(line.substr(kTorch.size()));
    if (!version) return version.error();
    recording.version = *version;
  } else if (line.starts_with(kSettings)) {
    const auto settings = nlohmann::json::parse(line.substr(kSettings.size()), nullptr, /*allow_exceptions=*/false);
    if (!settings.is_object()) return Error{"the allocator settings are not JSON", ""};
    recording.conf = settings.value("PYTORCH_CUDA_ALLOC_CONF", "");
  }
  return {};
}

std::optional<RecordedEvent::Kind> event_kind(std::string_view name) {
  using Kind = RecordedEvent::Kind;
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"+", Kind::kSegmentAlloc},   {"+seg", Kind::kSegmentAlloc}, {"-", Kind::kSegmentFree},
      {"-seg", Kind::kSegmentFree}, {"a", Kind::kAlloc},           {"f", Kind::kFree},
      {"q", Kind::kFreeRequested},  {"c", Kind::kFreeCompleted},
  };
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

SegmentInfo segment_of(const Fields& fields, simulator::Address address, Bytes size) {
  return {.address = address,
          .size = size,
          .is_small = fields.size() > 3 && fields[3] == "small",
          .is_expandable = fields.size() > 4 && fields[4] == "expandable"};
}

/// A line of the start or the end state; false if it is not one.
bool read_state(const Fields& fields, simulator::Address address, Bytes size, Recording& recording) {
  const auto requested = [&] { return Bytes{fields.size() > 3 ? to_number(fields[3]).value_or(0) : 0}; };
  const bool says_used = fields.size() > 3 && (fields[3] == "A" || fields[3] == "F");
  if (fields[0] == "S") {
    recording.start.push_back(segment_of(fields, address, size));
  } else if (fields[0] == "B") {
    if (recording.start.empty()) return false;
    recording.start.back().blocks.push_back({address, size, requested(), BlockState::kAllocated});
  } else if (fields[0] == "E" && says_used) {
    const BlockState state = fields[3] == "A" ? BlockState::kAllocated : BlockState::kInactive;
    recording.end_blocks.push_back({address, size, {}, state});
    recording.end_blocks_have_free_ones = true;
  } else if (fields[0] == "E") {
    recording.end_segments.push_back(segment_of(fields, address, size));
  } else if (fields[0] == "F") {
    const bool pending = fields.size() > 4 && fields[4] != "active_allocated";
    recording.end_blocks.push_back(
        {address, size, requested(), pending ? BlockState::kPendingFree : BlockState::kAllocated});
    recording.end_blocks_have_requests = true;
  } else {
    return false;
  }
  return true;
}

Status read_line(const Fields& fields, std::uint64_t line, Recording& recording) {
  const Error unknown{"line " + std::to_string(line) + " is not a line of a recording", ""};
  if (fields.size() < 2) return unknown;
  const auto address = to_number(fields[1], 16);
  const auto size = to_number(fields.size() > 2 ? fields[2] : "0");
  if (!address || !size) return unknown;
  if (const auto kind = event_kind(fields[0])) {
    const std::uint64_t stream = fields.size() > 3 ? to_number(fields[3]).value_or(0) : 0;
    recording.events.push_back({*kind, line, *address, Bytes{*size}, {stream}});
    return {};
  }
  return read_state(fields, *address, Bytes{*size}, recording) ? Status() : unknown;
}

bool is_for_people(std::string_view line) {
  return line.empty() || line.starts_with("K\t") || line.starts_with("N\t") || line.starts_with("o\t");
}

/// Blocks are listed after all segments or each after its own; they belong to the one that holds them.
void sort_blocks_into_segments(std::vector<SegmentInfo>& segments) {
  std::vector<BlockInfo> blocks;
  for (SegmentInfo& segment : segments) {
    blocks.insert(blocks.end(), segment.blocks.begin(), segment.blocks.end());
    segment.blocks.clear();
  }
  std::vector<SegmentInfo*> by_address;
  for (SegmentInfo& segment : segments) by_address.push_back(&segment);
  std::sort(by_address.begin(), by_address.end(), [](auto* a, auto* b) { return a->address < b->address; });
  std::sort(blocks.begin(), blocks.end(), [](auto& a, auto& b) { return a.address < b.address; });
  auto segment = by_address.begin();
  for (const BlockInfo& block : blocks) {
    while (std::next(segment) != by_address.end() && (*std::next(segment))->address <= block.address) ++segment;
    (*segment)->blocks.push_back(block);
  }
}

}  // namespace

Result<Recording> read_recording(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return text.error();
  Recording recording;
  std::uint64_t number = 0;
  for (const std::string_view line : lines_of(*text)) {
    ++number;
    if (is_for_people(line)) continue;
    const char separator = line.find('\t') == std::string_view::npos ? ' ' : '\t';
    const Status status =
        line.starts_with('#') ? read_comment(line, recording) : read_line(split(line, separator), number, recording);
    if (!status) return Error{path + ": " + status.error().what, status.error().hint};
  }
  sort_blocks_into_segments(recording.start);
  return recording;
}

}  // namespace dryfit::oracle
