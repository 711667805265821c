// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_manifest.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/crc64.h"
#include "base/temporary_folder.h"
#include "card/machine.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A run on one GPU.
class RunManifest : public ::testing::Test {
 protected:
  RunManifest() {
    put(run / "verdict.json", "{}");
    put(gpu / "machine.txt", to_text(Machine{}));
    put(gpu / "trace-7.dryfit", "what happened, from the first event to the last");
    put(gpu / "history-7.pickle", "the memory");
    put(gpu / "output.txt", "what the program printed");
  }

  std::string complaint() const {
    const auto status = check_intact(gpu);
    if (status) return "";
    EXPECT_TRUE(status.error().is_damage);
    return status.error().what;
  }

  TemporaryFolder folder;
  fs::path run = folder / "run";
  fs::path gpu = run / "a100-40gb";
};

TEST_F(RunManifest, A_sealed_run_is_intact) {
  ASSERT_TRUE(seal_run(run));
  EXPECT_EQ(complaint(), "");
  EXPECT_TRUE(check_intact(run));
}

TEST_F(RunManifest, Each_file_that_is_cut_off_is_named) {
  ASSERT_TRUE(seal_run(run));
  for (const auto* name : {"machine.txt", "trace-7.dryfit", "history-7.pickle"}) {
    const auto whole = content(gpu / name);
    for (const auto size : {whole.size() / 2, std::size_t{0}}) {
      put(gpu / name, whole.substr(0, size));
      EXPECT_NE(complaint().find(std::string(name) + "' is cut off"), std::string::npos) << complaint();
    }
    put(gpu / name, whole);
  }
}

TEST_F(RunManifest, A_changed_byte_is_noticed) {
  ASSERT_TRUE(seal_run(run));
  auto text = content(gpu / "trace-7.dryfit");
  text[5] ^= 1;
  put(gpu / "trace-7.dryfit", text);
  EXPECT_NE(complaint().find("trace-7.dryfit' has changed"), std::string::npos) << complaint();
}

TEST_F(RunManifest, What_is_missing_or_was_added_is_named) {
  ASSERT_TRUE(seal_run(run));
  fs::rename(gpu / "trace-7.dryfit", gpu / "trace-8.dryfit");
  EXPECT_NE(complaint().find("trace-7.dryfit' is missing"), std::string::npos) << complaint();
  fs::copy_file(gpu / "trace-8.dryfit", gpu / "trace-7.dryfit");
  EXPECT_NE(complaint().find("trace-8.dryfit' was added"), std::string::npos) << complaint();
}

TEST_F(RunManifest, What_no_command_reads_may_change) {
  ASSERT_TRUE(seal_run(run));
  put(gpu / "output.txt", "");
  put(gpu / "notes.md", "mine");
  put(gpu / "trace-viewer.json", "exported");
  EXPECT_EQ(complaint(), "");
}

TEST_F(RunManifest, A_name_may_have_spaces) {
  put(gpu / "history-7 of mine.pickle", "copied before");
  ASSERT_TRUE(seal_run(run));
  EXPECT_EQ(complaint(), "");
  put(gpu / "history-7 of mine.pickle", "");
  EXPECT_NE(complaint().find("history-7 of mine.pickle' is cut off"), std::string::npos) << complaint();
}

TEST_F(RunManifest, A_verdict_above_that_has_changed_is_noticed) {
  ASSERT_TRUE(seal_run(run));
  put(run / "verdict.json", R"({"results": []})");
  EXPECT_NE(complaint().find("verdict.json' has changed"), std::string::npos) << complaint();
}

TEST_F(RunManifest, A_folder_that_was_copied_alone_is_still_checked) {
  ASSERT_TRUE(seal_run(run));
  fs::rename(gpu, folder / "alone");
  EXPECT_TRUE(check_intact(folder / "alone"));
  put(folder / "alone" / "trace-7.dryfit", "");
  EXPECT_FALSE(check_intact(folder / "alone"));
}

TEST_F(RunManifest, The_manifest_itself_is_checked) {
  ASSERT_TRUE(seal_run(run));
  const auto whole = content(gpu / "manifest.txt");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(gpu / "manifest.txt", whole.substr(0, size));
    EXPECT_NE(complaint().find("manifest.txt"), std::string::npos) << size;
  }
}

TEST_F(RunManifest, A_newer_format_is_refused_with_both_versions) {
  const std::string lines = "dryfit-manifest 2\n";
  char end[32];
  std::snprintf(end, sizeof end, "end %016llx\n", static_cast<unsigned long long>(crc64(lines)));
  put(gpu / "manifest.txt", lines + end);
  const auto status = check_intact(gpu);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("has format 2, but this Dryfit reads format 1"), std::string::npos);
}

TEST_F(RunManifest, Without_a_manifest_files_that_make_no_sense_are_named) {
  EXPECT_EQ(complaint(), "");
  put(gpu / "machine.txt", "garbage");
  EXPECT_NE(complaint().find("machine.txt' is damaged"), std::string::npos) << complaint();
  put(gpu / "machine.txt", to_text(Machine{}));
  put(run / "verdict.json", "garbage");
  EXPECT_NE(complaint().find("verdict.json' is damaged"), std::string::npos) << complaint();
}

}  // namespace
}  // namespace dryfit::cli
