// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/writer.h"

#include <optional>
#include <utility>
#include <vector>

#include "snapshot/pickler.h"

namespace dryfit::snapshot {
namespace {

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

class Writer {
 public:
  explicit Writer(const Snapshot& snapshot)
      : snapshot_(snapshot), frames_(snapshot.frames.size()), stacks_(snapshot.stacks.size()) {}

  std::string write() && {
    out_.begin_dict();
    list("segments", snapshot_.segments, [this](const Segment& segment) { write(segment); });
    list("device_traces", snapshot_.device_traces, [this](const std::vector<Entry>& entries) {
      out_.begin_list();
      for (const auto& entry : entries) write(entry);
      out_.end_list();
    });
    out_.text("allocator_settings");
    write(snapshot_.settings);
    out_.text("external_annotations");
    out_.empty_list();
    out_.end_dict();
    return std::move(out_).finish();
  }

 private:
  void field(std::string_view name, std::int64_t value) {
    out_.text(name);
    out_.integer(value);
  }
  void field(std::string_view name, Bytes value) { field(name, number(value.count)); }
  void field(std::string_view name, std::string_view value) {
    out_.text(name);
    out_.text(value);
  }
  void flag(std::string_view name, bool value) {
    out_.text(name);
    out_.boolean(value);
  }
  void pool(std::string_view name, PoolId id) {
    out_.text(name);
    out_.pair(number(id.first), number(id.second));
  }

  template <class T, class Write>
  void list(std::string_view name, const std::vector<T>& elements, Write write_element) {
    out_.text(name);
    out_.begin_list();
    for (const auto& element : elements) write_element(element);
    out_.end_list();
  }

  void write(const Segment& segment) {
    Bytes allocated, active, requested;
    for (const auto& block : segment.blocks) {
      if (block.state == BlockState::active_allocated) allocated += block.size;
      if (block.state == BlockState::inactive) continue;
      active += block.size;
      requested += block.requested;
    }
    out_.begin_dict();
    field("device", segment.device);
    field("address", number(segment.address));
    field("total_size", segment.size);
    field("allocated_size", allocated);
    field("active_size", active);
    field("requested_size", requested);
    field("stream", number(segment.stream));
    field("segment_type", segment.is_small ? std::string_view("small") : "large");
    pool("segment_pool_id", segment.pool);
    flag("is_expandable", segment.is_expandable);
    frames(segment.stack);
    list("blocks", segment.blocks, [this](const Block& block) { write(block); });
    out_.end_dict();
  }

  void write(const Block& block) {
    out_.begin_dict();
    field("address", number(block.address));
    field("size", block.size);
    field("requested_size", block.requested);
    field("state", to_text(block.state));
    frames(block.stack);
    out_.end_dict();
  }

  void write(const Entry& entry) {
    out_.begin_dict();
    field("action", to_text(entry.action));
    field(entry.action == Action::oom ? "device_free" : "addr", number(entry.address));
    field("size", entry.size);
    field("stream", number(entry.stream));
    field("time_us", entry.time_us);
    frames(entry.stack);
    if (entry.pool) pool("pool_id", *entry.pool);
    out_.end_dict();
  }

  void write(const Settings& settings) {
    out_.begin_dict();
    field("PYTORCH_CUDA_ALLOC_CONF", settings.alloc_conf);
    field("max_split_size", settings.max_split_size ? number(settings.max_split_size->count) : -1);
    out_.text("garbage_collection_threshold");
    out_.real(settings.garbage_collection_threshold);
    flag("expandable_segments", settings.expandable_segments);
    out_.text("roundup_power2_divisions");
    out_.begin_dict();
    for (const auto& [interval, divisions] : settings.roundup_power2_divisions) field(interval, divisions);
    out_.end_dict();
    out_.end_dict();
  }

  void frames(StackId stack) {
    out_.text("frames");
    if (stack >= stacks_.size()) return out_.empty_list();
    if (stacks_[stack]) return out_.get(*stacks_[stack]);
    out_.begin_list();
    for (const auto index : snapshot_.stacks[stack]) write_frame(index);
    out_.end_list();
    stacks_[stack] = out_.memoize();
  }

  void write_frame(std::uint32_t index) {
    if (frames_[index]) return out_.get(*frames_[index]);
    const auto& frame = snapshot_.frames[index];
    out_.begin_dict();
    field("name", frame.name);
    field("filename", frame.filename);
    field("line", frame.line);
    out_.end_dict();
    frames_[index] = out_.memoize();
  }

  const Snapshot& snapshot_;
  std::vector<std::optional<std::uint32_t>> frames_;  ///< where in the memo they are, once written
  std::vector<std::optional<std::uint32_t>> stacks_;
  Pickler out_;
};

}  // namespace

std::string to_pickle(const Snapshot& snapshot) { return Writer(snapshot).write(); }

}  // namespace dryfit::snapshot
