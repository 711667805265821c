// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/compile_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "launch/testing.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

const fs::path kGraph = "fxgraph/ab/fabc";
const fs::path kKernel = "triton/0/KEY";

Machine machine_of(const std::string& id) {
  Card card;
  card.id = id;
  return {.cards = {card}};
}

class CompileCacheTest : public testing::Test {
 protected:
  /// The cache of a run, with what is lent to it.
  fs::path run(const std::string& name) const {
    cache_.lend(folder_ / name);
    return folder_ / name;
  }
  static void add(const fs::path& run, const fs::path& file, std::string_view text) {
    fs::create_directories((run / file).parent_path());
    write_file(run / file, text);
  }

  TemporaryFolder folder_;
  CompileCache cache_{folder_ / "kept", machine_of("a100-40gb")};
};

TEST_F(CompileCacheTest, The_next_run_reads_what_the_first_has_compiled) {
  const auto first = run("first");
  add(first, kGraph / "content", "graph");
  add(first, kKernel / "k.cubin", "kernel");
  cache_.keep(first, true);
  fs::remove_all(first);
  EXPECT_EQ(read_file(run("second") / kGraph / "content"), "graph");
  EXPECT_EQ(read_file(folder_ / "second" / kKernel / "k.cubin"), "kernel");
}

TEST_F(CompileCacheTest, Graphs_whose_lowering_used_the_GPU_are_left_out) {
  const auto first = run("first");
  add(first, kGraph / "content", "graph");
  add(first, kKernel / "k.cubin", "kernel");
  cache_.keep(first, false);
  EXPECT_FALSE(fs::exists(run("second") / kGraph));
  EXPECT_TRUE(fs::exists(folder_ / "second" / kKernel / "k.cubin"));
}

TEST_F(CompileCacheTest, Choices_of_an_autotuner_and_other_caches_are_left_out) {
  const auto first = run("first");
  add(first, kKernel / "softmax.autotune.json", "{}");
  add(first, "xy/kernel.best_config", "{}");
  add(first, "cache/local", "{}");
  add(first, "aotautograd/key/entry", "");
  cache_.keep(first, true);
  EXPECT_FALSE(fs::exists(run("second")));
}

TEST_F(CompileCacheTest, A_run_changes_nothing_that_is_kept) {
  const auto first = run("first");
  add(first, kGraph / "content", "graph");
  cache_.keep(first, true);
  const auto second = run("second");
  add(second, kGraph / "other", "another size");
  cache_.keep(second, true);
  fs::remove_all(second);
  const auto third = run("third");
  EXPECT_EQ(read_file(third / kGraph / "content"), "graph");
  EXPECT_FALSE(fs::exists(third / kGraph / "other"));
}

TEST_F(CompileCacheTest, Paths_in_the_list_of_a_kernels_files_lead_to_what_is_kept) {
  const auto first = run("first");
  add(first, kKernel / "__grp__k.json", "{\"k.cubin\": \"" + (first / kKernel / "k.cubin").string() + "\"}");
  add(first, kKernel / "k.cubin", "kernel");
  cache_.keep(first, true);
  const auto text = read_file(run("second") / kKernel / "__grp__k.json");
  EXPECT_EQ(text.find(first.string()), std::string::npos) << text;
  const auto begin = text.find((folder_ / "kept").string());
  EXPECT_EQ(read_file(text.substr(begin, text.rfind('"') - begin)), "kernel");
}

TEST_F(CompileCacheTest, GPUs_of_different_properties_share_nothing) {
  const auto first = run("first");
  add(first, kGraph / "content", "graph");
  cache_.keep(first, true);
  auto other = machine_of("a100-40gb");
  other.cards[0].total_memory = Bytes{1};
  CompileCache(folder_ / "kept", other).lend(folder_ / "second");
  EXPECT_FALSE(fs::exists(folder_ / "second" / kGraph));
}

void read_last_at(const fs::path& file, std::time_t when) {
  const timespec times[2] = {{when, 0}, {when, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

TEST_F(CompileCacheTest, What_was_read_longest_ago_goes_first) {
  const CompileCache small(folder_ / "kept", machine_of("a100-40gb"), Bytes{30});
  const auto first = folder_ / "first";
  for (const auto* key : {"old", "new"}) add(first, fs::path("triton/0") / key / "k.cubin", "ten bytes.");
  small.keep(first, true);
  for (const auto& each : fs::recursive_directory_iterator(folder_ / "kept")) {
    if (!each.is_regular_file()) continue;
    read_last_at(each.path(), each.path().string().find("/old/") != std::string::npos ? 1000 : 2000);
  }
  const auto second = folder_ / "second";
  add(second, "triton/0/newest/k.cubin", "ten bytes.");
  small.keep(second, true);
  small.lend(folder_ / "third");
  EXPECT_FALSE(fs::exists(folder_ / "third/triton/0/old"));
  EXPECT_TRUE(fs::exists(folder_ / "third/triton/0/new/k.cubin"));
  EXPECT_TRUE(fs::exists(folder_ / "third/triton/0/newest/k.cubin"));
}

}  // namespace
}  // namespace dryfit::launch
