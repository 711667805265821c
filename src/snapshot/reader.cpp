// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/reader.h"

#include <algorithm>
#include <utility>

#include "snapshot/budget.h"
#include "snapshot/entry_reader.h"
#include "snapshot/fields.h"
#include "snapshot/mapped_file.h"
#include "snapshot/pickle.h"
#include "snapshot/segment_reader.h"
#include "snapshot/stack_table.h"

namespace dryfit::snapshot {
namespace {

constexpr std::uint64_t kCopiesOfTexts = 64;
constexpr const char* kRecord =
    "Call torch.cuda.memory._record_memory_history() before the part of interest, and "
    "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") after it.";

Settings read_settings(const Fields& fields) {
  Settings settings;
  settings.alloc_conf = fields.text("PYTORCH_CUDA_ALLOC_CONF");
  if (const auto size = fields.integer("max_split_size"); size && *size > 0) {
    settings.max_split_size = Bytes{static_cast<std::uint64_t>(*size)};
  }
  settings.garbage_collection_threshold = fields.real("garbage_collection_threshold").value_or(0);
  settings.expandable_segments = fields.boolean("expandable_segments").value_or(false);
  const auto divisions = fields.find("roundup_power2_divisions");
  const auto& pickle = fields.pickle();
  if (divisions && pickle.is(*divisions, Kind::dict)) {
    pickle.each_entry(*divisions, [&](Value key, Value value) {
      if (!pickle.is(key, Kind::text) || !pickle.is(value, Kind::integer)) return;
      settings.roundup_power2_divisions[std::string(pickle.text(key))] = pickle.integer(value);
    });
  }
  return settings;
}

/// Reads the parts of a snapshot. A real one refers to each segment and each entry once, so they have fewer
/// fields than the file has bytes; and its frames repeat names that are written once, but not hundreds of times each.
class Reader {
 public:
  Reader(const Pickle& pickle, std::size_t file_size)
      : pickle_(pickle), fields_(file_size), texts_(kCopiesOfTexts * file_size), stacks_(pickle, snapshot_, texts_) {}

  Result<Snapshot> read() {
    if (!pickle_.is(pickle_.root(), Kind::dict)) return Error{"not a memory snapshot", kRecord};
    const Fields top(pickle_, pickle_.root());
    const auto segments = top.find("segments");
    if (!segments || !pickle_.is(*segments, Kind::list)) {
      return Error{"not a memory snapshot: it has no list 'segments'", kRecord};
    }
    note_age(top);
    read_segments(*segments);
    if (const auto traces = top.find("device_traces")) read_traces(*traces);
    if (const auto settings = top.find("allocator_settings"); settings && pickle_.is(*settings, Kind::dict)) {
      snapshot_.settings = read_settings({pickle_, *settings});
    }
    if (fields_.exhausted() || texts_.exhausted())
      return Error{"not a memory snapshot: it refers to the same entries too often", kRecord};
    return std::move(snapshot_);
  }

 private:
  /// The keys that a release was the first to write.
  void note_age(const Fields& top) {
    if (top.find("device_traces")) at_least("2.0");
    if (top.find("external_annotations")) at_least("2.5");
    if (top.find("host_traces")) at_least("2.14");
  }

  void at_least(const std::string& version) {
    const auto key = [](const std::string& text) { return std::pair(text.size(), text); };
    const auto& oldest = snapshot_.oldest_torch;
    if (oldest.starts_with("1.") || key(version) > key(oldest)) snapshot_.oldest_torch = version;
  }

  void read_segments(Value list) {
    SegmentReader reader(pickle_, stacks_, fields_, snapshot_.diagnostics);
    pickle_.each(list, [&](Value value) {
      if (auto segment = reader.read(value)) snapshot_.segments.push_back(std::move(*segment));
    });
    std::ranges::sort(snapshot_.segments, {}, [](const Segment& s) { return std::pair(s.device, s.address); });
  }

  void read_traces(Value list) {
    if (!pickle_.is(list, Kind::list)) return;
    EntryReader reader(pickle_, stacks_, fields_, snapshot_.diagnostics);
    pickle_.each(list, [&](Value trace) {
      if (fields_.exhausted()) return;
      auto& entries = snapshot_.device_traces.emplace_back();
      if (!pickle_.is(trace, Kind::list) || !fields_.spend(pickle_.size(trace))) return;
      entries.reserve(pickle_.size(trace));
      pickle_.each(trace, [&](Value value) {
        if (const auto entry = reader.read(value)) entries.push_back(*entry);
      });
    });
    if (reader.oldest_torch()) at_least(reader.oldest_torch());
  }

  const Pickle& pickle_;
  Budget fields_;
  Budget texts_;
  Snapshot snapshot_;
  StackTable stacks_;
};

}  // namespace

Result<Snapshot> parse_snapshot(std::string_view bytes) {
  const auto pickle = Pickle::read(bytes);
  if (!pickle) return pickle.error();
  return Reader(*pickle, bytes.size()).read();
}

Result<Snapshot> read_snapshot(const std::filesystem::path& file) {
  const auto mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  auto snapshot = parse_snapshot(mapped->bytes());
  if (!snapshot) return Error{file.string() + ": " + snapshot.error().what, snapshot.error().hint};
  return snapshot;
}

}  // namespace dryfit::snapshot
