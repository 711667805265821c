// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "compressed_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <string>

#include "work_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string unpacked(const fs::path& path) {
  std::string text(5'000'000, '\0');
  auto* file = gzopen(path.c_str(), "rb");
  text.resize(static_cast<std::size_t>(gzread(file, text.data(), static_cast<unsigned>(text.size()))));
  gzclose(file);
  return text;
}

class CompressedFile : public ::testing::Test {
 protected:
  CompressedFile() {
    for (int i = 0; i < 300'000; ++i) text_ += std::to_string(i) + ",\n";
    std::ofstream(source()) << text_;
  }

  fs::path source() const { return folder_.path() / "trace.json"; }

  WorkFolder folder_ = WorkFolder::temporary().value();
  std::string text_;
};

TEST_F(CompressedFile, What_is_stored_is_what_was_there_and_smaller) {
  const auto target = folder_.path() / "out.json.gz";
  double last = 0;
  const auto size = store_compressed(source(), target, [&last](double share) { last = share; });
  ASSERT_TRUE(size);
  EXPECT_EQ(size->count, fs::file_size(target));
  EXPECT_LT(size->count, text_.size() / 2);
  EXPECT_EQ(unpacked(target), text_);
  EXPECT_EQ(last, 1);
}

TEST_F(CompressedFile, Another_name_is_stored_plain) {
  const auto target = folder_.path() / "out.json";
  ASSERT_TRUE(store_compressed(source(), target));
  EXPECT_EQ(content_of(target), text_);
}

TEST_F(CompressedFile, Where_nothing_can_be_written_nothing_is_left) {
  EXPECT_FALSE(store_compressed(source(), folder_.path() / "missing" / "out.json.gz"));
  EXPECT_FALSE(store_compressed(folder_.path() / "missing.json", folder_.path() / "out.json.gz"));
  EXPECT_FALSE(fs::exists(folder_.path() / "missing"));
  EXPECT_FALSE(fs::exists(folder_.path() / "out.json.gz"));
}

}  // namespace
}  // namespace dryfit::cli
