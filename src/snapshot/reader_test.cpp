// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "snapshot/pickler.h"
#include "snapshot/test_support.h"
#include "snapshot/writer.h"

namespace dryfit::snapshot {
namespace {

using namespace literals;
using testing::sample;

Snapshot parsed(const std::string& bytes) {
  auto snapshot = parse_snapshot(bytes);
  EXPECT_TRUE(snapshot) << snapshot.error().what;
  return snapshot ? std::move(snapshot).value() : Snapshot{};
}

/// {"segments": [], <name>: <what write writes>}
template <class Write>
std::string snapshot_with(std::string_view name, Write write) {
  Pickler pickler;
  pickler.begin_dict();
  if (name != "segments") {
    pickler.text("segments");
    pickler.empty_list();
  }
  pickler.text(name);
  write(pickler);
  pickler.end_dict();
  return std::move(pickler).finish();
}

TEST(Reader, What_the_writer_writes_is_read_back) {
  const auto original = sample();
  const auto read = parsed(to_pickle(original));
  ASSERT_EQ(read.segments.size(), 2u);
  EXPECT_TRUE(read.segments[0].is_small);
  EXPECT_EQ(read.segments[1].address, 0x20000000u);
  ASSERT_EQ(read.segments[1].blocks.size(), 2u);
  EXPECT_EQ(read.segments[1].blocks[0].size, 5_MiB);
  EXPECT_EQ(read.segments[1].blocks[0].state, BlockState::active_allocated);
  EXPECT_EQ(read.segments[1].blocks[1].address, 0x20000000u + (5_MiB).count);
  ASSERT_EQ(read.device_traces.size(), 1u);
  ASSERT_EQ(read.device_traces[0].size(), original.device_traces[0].size());
  for (std::size_t i = 0; i < read.device_traces[0].size(); ++i) {
    const auto& now = read.device_traces[0][i];
    const auto& then = original.device_traces[0][i];
    EXPECT_EQ(now.action, then.action);
    EXPECT_EQ(now.address, then.address);
    EXPECT_EQ(now.size, then.size);
    EXPECT_EQ(now.time_us, then.time_us);
    EXPECT_EQ(now.stream, then.stream);
    EXPECT_EQ(now.pool, then.pool);
    ASSERT_NE(now.stack, kNoStack);
    EXPECT_EQ(read.user_frame(now.stack)->line, 12);
  }
  EXPECT_EQ(read.settings.alloc_conf, "max_split_size_mb:64");
  EXPECT_EQ(read.settings.max_split_size, 64_MiB);
  EXPECT_EQ(read.settings.garbage_collection_threshold, 0.5);
  EXPECT_EQ(read.settings.roundup_power2_divisions.at("1"), 4);
  EXPECT_EQ(read.stacks.size(), 1u);
  EXPECT_EQ(read.frames.size(), 2u);
  EXPECT_TRUE(read.diagnostics.empty());
  EXPECT_EQ(to_pickle(read), to_pickle(original));
}

TEST(Reader, Other_files_are_refused_with_a_hint) {
  for (const auto& bytes :
       {std::string("not a pickle"), testing::pickle_of("N"), testing::pickle_of("}"), std::string()}) {
    const auto snapshot = parse_snapshot(bytes);
    ASSERT_FALSE(snapshot);
    EXPECT_NE(snapshot.error().hint.find("_dump_snapshot"), std::string::npos);
  }
  const auto missing = read_snapshot("/nonexistent/file.pickle");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("/nonexistent/file.pickle"), std::string::npos);
}

TEST(Reader, A_snapshot_of_torch_1_13_has_its_addresses_from_the_sizes_before) {
  const auto snapshot = parsed(snapshot_with("segments", [](Pickler& out) {
    const auto block = [&](std::int64_t size, const char* state, bool has_history) {
      out.begin_dict();
      out.text("size");
      out.integer(size);
      out.text("state");
      out.text(state);
      if (has_history) {
        out.text("history");
        out.begin_list();
        out.begin_dict();
        out.text("real_size");
        out.integer(1000);
        out.end_dict();
        out.end_list();
      }
      out.end_dict();
    };
    out.begin_list();
    out.begin_dict();
    out.text("address");
    out.integer(1 << 21);
    out.text("total_size");
    out.integer(1 << 21);
    out.text("segment_type");
    out.text("small");
    out.text("blocks");
    out.begin_list();
    block(1024, "active_allocated", true);
    block(1024, "active_awaiting_free", false);
    block((1 << 21) - 2048, "inactive", false);
    out.end_list();
    out.end_dict();
    out.end_list();
  }));
  ASSERT_EQ(snapshot.segments.size(), 1u);
  const auto& blocks = snapshot.segments[0].blocks;
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].requested, 1000_B);
  EXPECT_EQ(blocks[1].address, (1u << 21) + 1024);
  EXPECT_EQ(blocks[1].state, BlockState::active_pending_free);
  EXPECT_EQ(snapshot.oldest_torch, "1.13");
  EXPECT_TRUE(snapshot.diagnostics.empty());
}

TEST(Reader, Entries_of_an_unknown_kind_are_skipped_and_counted) {
  const auto snapshot = parsed(snapshot_with("device_traces", [](Pickler& out) {
    out.begin_list();
    out.begin_list();
    for (const auto* action : {"alloc", "teleport"}) {
      out.begin_dict();
      out.text("action");
      out.text(action);
      out.text("addr");
      out.integer(512);
      out.text("size");
      out.integer(512);
      out.end_dict();
    }
    out.begin_dict();
    out.text("action");
    out.text("alloc");
    out.end_dict();
    out.integer(3);
    out.end_list();
    out.end_list();
  }));
  ASSERT_EQ(snapshot.device_traces.size(), 1u);
  EXPECT_EQ(snapshot.device_traces[0].size(), 1u);
  EXPECT_EQ(snapshot.diagnostics.counts().at("snapshot.unknown_action"), 1u);
  EXPECT_EQ(snapshot.diagnostics.counts().at("snapshot.unusable_entry"), 2u);
}

TEST(Reader, The_oldest_release_that_can_have_written_it_is_known_by_its_keys) {
  auto snapshot = sample();
  EXPECT_EQ(parsed(to_pickle(snapshot)).oldest_torch, "2.8");
  snapshot.device_traces[0].clear();
  EXPECT_EQ(parsed(to_pickle(snapshot)).oldest_torch, "2.5");
}

TEST(Reader, A_large_object_used_many_times_is_refused) {
  const auto snapshot = parse_snapshot(snapshot_with("device_traces", [](Pickler& out) {
    out.begin_list();
    out.begin_list();
    for (int i = 0; i < 1000; ++i) {
      out.begin_dict();
      out.text("size");
      out.integer(1);
      out.end_dict();
    }
    out.end_list();
    const auto trace = out.memoize();
    for (int i = 0; i < 1000; ++i) out.get(trace);
    out.end_list();
  }));
  ASSERT_FALSE(snapshot);
  EXPECT_NE(snapshot.error().what.find("refers to the same entries too often"), std::string::npos);
}

TEST(Reader, The_users_frame_is_the_innermost_outside_libraries) {
  Snapshot snapshot;
  snapshot.frames = {{"convert", "/x/lib/python3.11/site-packages/torch/nn/modules/module.py", 1329},
                     {"main", "/home/me/train.py", 7},
                     {"<module>", "/home/me/train.py", 9}};
  snapshot.stacks = {{0, 1, 2}, {0}};
  EXPECT_EQ(snapshot.user_frame(0)->line, 7);
  EXPECT_EQ(snapshot.user_frame(1)->line, 1329);
  EXPECT_EQ(snapshot.user_frame(kNoStack), nullptr);
}

TEST(Reader, The_fuzzers_corpus_is_read_without_harm) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DRYFIT_SOURCE_DIR "/tests/fuzz/snapshot")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto snapshot = parse_snapshot(bytes);
    ++files;
    if (!snapshot) {
      EXPECT_FALSE(snapshot.error().what.empty());
      continue;
    }
    for (const auto& segment : snapshot->segments) {
      for (const auto& block : segment.blocks) {
        EXPECT_LE(block.address + block.size.count, segment.address + segment.size.count) << entry.path();
      }
    }
  }
  EXPECT_GE(files, 5);
}

}  // namespace
}  // namespace dryfit::snapshot
