// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/model_file.h"

#include <gtest/gtest.h>

#include "base/crc64.h"
#include "base/temporary_folder.h"
#include "predictor/model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_job;
using testing::sample_model;

std::string problem_of_model_file(std::string_view bytes) {
  const auto model = parse_memory_model(bytes, "m.model");
  return model ? "" : model.error().what;
}

/// With the checksum made right again.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const auto sum = crc64(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

TEST(ModelFile, A_written_model_is_read_back_and_answers_the_same) {
  for (const auto& model : {sample_model(FeatureSet::layers, 0), sample_model(FeatureSet::plain, 16)}) {
    const auto bytes = to_bytes(model);
    const auto read = parse_memory_model(bytes, "m.model");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->card, model.card);
    EXPECT_EQ(read->shape, model.shape);
    EXPECT_EQ(read->members, model.members);
    EXPECT_EQ(to_bytes(*read), bytes);
    EXPECT_EQ(*MemoryPredictor::of(*read)->peak_mib(sample_job()), *MemoryPredictor::of(model)->peak_mib(sample_job()));
  }
}

TEST(ModelFile, It_begins_as_it_is_drawn) {
  const auto bytes = to_bytes(sample_model(FeatureSet::plain, 16));
  EXPECT_EQ(bytes.substr(0, 16), std::string("dryfitm\n\1\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(bytes.substr(24, 10), std::string("\6\0\0\0sample", 10));
}

TEST(ModelFile, Any_cut_and_any_changed_byte_is_damage) {
  const auto bytes = to_bytes(sample_model(FeatureSet::plain, 2));
  for (std::size_t size = 8; size < bytes.size(); size += 97) {
    EXPECT_EQ(problem_of_model_file(bytes.substr(0, size)), "m.model: the model file is damaged");
  }
  EXPECT_EQ(problem_of_model_file(bytes + "x"), "m.model: the model file is damaged");
  for (std::size_t place = 12; place < bytes.size(); place += 101) {
    auto changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 4);
    EXPECT_EQ(problem_of_model_file(changed), "m.model: the model file is damaged") << place;
  }
}

TEST(ModelFile, A_length_that_lies_under_a_right_checksum_is_damage) {
  auto bytes = to_bytes(sample_model(FeatureSet::plain, 2));
  bytes[27] = '\x7f';  // the name is to be two billion letters long
  EXPECT_EQ(problem_of_model_file(sealed(bytes)), "m.model: the model file is damaged");
}

TEST(ModelFile, A_newer_version_is_refused_by_number) {
  auto bytes = to_bytes(sample_model(FeatureSet::plain, 2));
  bytes[8] = 2;
  EXPECT_EQ(problem_of_model_file(bytes), "m.model: the model file is of version 2; this Dryfit reads up to 1");
}

TEST(ModelFile, Other_bytes_are_not_a_model) {
  EXPECT_EQ(problem_of_model_file(""), "m.model: not a Dryfit model file");
  EXPECT_EQ(problem_of_model_file("PK\3\4"), "m.model: not a Dryfit model file");
}

TEST(ModelFile, A_file_is_written_and_read_and_failures_are_reported) {
  const TemporaryFolder folder;
  const auto file = folder / "m.model";
  ASSERT_TRUE(write_model(sample_model(FeatureSet::plain, 2), file));
  EXPECT_TRUE(read_model(file));
  std::filesystem::remove(file);
  EXPECT_EQ(read_model(file).error().what, file.string() + ": cannot be opened");
  EXPECT_EQ(write_model(sample_model(FeatureSet::plain, 2), "/nonexistent/m").error().what,
            "/nonexistent/m: cannot be written");
}

}  // namespace
}  // namespace dryfit::predictor
