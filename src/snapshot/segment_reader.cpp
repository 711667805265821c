// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/segment_reader.h"

namespace dryfit::snapshot {
namespace {

constexpr std::int64_t kMostDevices = 1024;

/// The value of an integer that counts or identifies something.
std::optional<std::uint64_t> positive(const Fields& fields, std::string_view name) {
  const auto number = fields.integer(name);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// torch 1.13 and 2.0 keep the facts about an allocation in a list in the block: {addr, real_size, frames}.
std::optional<Fields> history_of(const Fields& block) {
  const auto& pickle = block.pickle();
  const auto list = block.find("history");
  if (!list || !pickle.is(*list, Kind::list)) return std::nullopt;
  std::optional<Fields> first;
  pickle.each(*list, [&](Value value) {
    if (!first && pickle.is(value, Kind::dict)) first.emplace(pickle, value);
  });
  return first;
}

}  // namespace

bool SegmentReader::affordable(Value container) {
  return !budget_.exhausted() && budget_.spend(pickle_.size(container));
}

StackId SegmentReader::stack_of(const Fields& fields) {
  const auto frames = fields.find("frames");
  return frames ? stacks_.stack_of(*frames) : kNoStack;
}

std::optional<Segment> SegmentReader::read(Value value) {
  if (pickle_.is(value, Kind::dict)) {
    if (!affordable(value)) return std::nullopt;
    const Fields fields(pickle_, value);
    const auto address = positive(fields, "address");
    const auto size = positive(fields, "total_size");
    const auto device = fields.integer("device").value_or(0);
    if (address && size && *size <= ~*address && device >= 0 && device < kMostDevices) {
      Segment segment{.device = static_cast<int>(device),
                      .address = *address,
                      .size = Bytes{*size},
                      .stream = static_cast<std::uint64_t>(fields.integer("stream").value_or(0)),
                      .is_small = fields.text("segment_type") == "small",
                      .is_expandable = fields.boolean("is_expandable").value_or(false),
                      .pool = read_pool(pickle_, fields.find("segment_pool_id")),
                      .stack = stack_of(fields)};
      read_blocks(fields, segment);
      return segment;
    }
  }
  diagnostics_.add("snapshot.unusable_entry");
  return std::nullopt;
}

void SegmentReader::read_blocks(const Fields& fields, Segment& segment) {
  const auto list = fields.find("blocks");
  if (!list || !pickle_.is(*list, Kind::list) || !affordable(*list)) return;
  Address at = segment.address;
  const Address end = segment.address + segment.size.count;
  pickle_.each(*list, [&](Value value) {
    const auto block = read_block(value, at);
    const bool inside = block && block->address >= at && block->address < end && block->size.count > 0 &&
                        block->size.count <= end - block->address;
    if (!inside) {
      diagnostics_.add("snapshot.unusable_entry");
      return;
    }
    segment.blocks.push_back(*block);
    at = block->address + block->size.count;
  });
}

std::optional<Block> SegmentReader::read_block(Value value, Address end_of_last) {
  if (!pickle_.is(value, Kind::dict) || !affordable(value)) return std::nullopt;
  const Fields fields(pickle_, value);
  const auto size = positive(fields, "size");
  const auto state = parse_block_state(fields.text("state"));
  if (!size || !state) return std::nullopt;
  const auto history = history_of(fields);
  auto requested = positive(fields, "requested_size");
  if (!requested && history) requested = positive(*history, "real_size");
  Block block{.address = positive(fields, "address").value_or(end_of_last),
              .size = Bytes{*size},
              .requested = Bytes{requested.value_or(*size)},
              .state = *state,
              .stack = stack_of(fields)};
  if (block.stack == kNoStack && history) block.stack = stack_of(*history);
  return block;
}

}  // namespace dryfit::snapshot
