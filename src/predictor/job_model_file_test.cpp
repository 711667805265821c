// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_model_file.h"

#include <gtest/gtest.h>

#include "base/crc64.h"
#include "base/temporary_folder.h"
#include "predictor/job_estimator.h"
#include "predictor/job_model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_job_model;

std::string problem_of_job_file(std::string_view bytes) {
  const auto model = parse_job_model(bytes, "m.model");
  return model ? "" : model.error().what;
}

/// One variant, so that every byte can be tried.
JobModel small_model() {
  auto model = sample_job_model();
  model.variants = {testing::sample_variant(Knowledge::outline)};
  model.variants[0].members.clear();
  return model;
}

/// With the checksum made right again.
std::string sealed_job(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const auto sum = crc64(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

TEST(JobModelFile, A_written_model_is_read_back_and_answers_the_same) {
  const auto model = sample_job_model();
  const auto bytes = to_bytes(model);
  const auto read = parse_job_model(bytes, "m.model");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->card, model.card);
  EXPECT_EQ(to_bytes(*read), bytes);
  ASSERT_EQ(read->variants.size(), kAllKnowledge.size());
  for (std::size_t i = 0; i < read->variants.size(); ++i) {
    const auto before = JobEstimator::of(model.variants[i]);
    const auto after = JobEstimator::of(read->variants[i]);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->estimate(testing::sample_description())->mib,
              after->estimate(testing::sample_description())->mib);
    EXPECT_EQ(read->variants[i].calibration.folds, model.variants[i].calibration.folds);
  }
}

TEST(JobModelFile, It_begins_as_it_is_drawn) {
  const auto bytes = to_bytes(small_model());
  EXPECT_EQ(bytes.substr(0, 16), std::string("dryfitj\n\2\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(bytes.substr(24, 10), std::string("\6\0\0\0sample", 10));
}

TEST(JobModelFile, Any_cut_and_any_changed_byte_is_detected) {
  const auto bytes = to_bytes(small_model());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(problem_of_job_file(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(problem_of_job_file(bytes + "x"), "m.model: the model file is damaged");
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    auto changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 4);
    EXPECT_NE(problem_of_job_file(changed), "") << place;
  }
}

TEST(JobModelFile, A_changed_byte_under_a_right_checksum_never_does_harm) {
  const auto bytes = to_bytes(small_model());
  std::size_t refused = 0;
  for (std::size_t place = 8; place < bytes.size() - 8; ++place) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      auto changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ flip);
      const auto model = parse_job_model(sealed_job(std::move(changed)), "m.model");
      if (!model || !check(*model)) {
        ++refused;
      } else if (const auto estimate = JobEstimator::of(model->variants[0])->estimate(testing::sample_description())) {
        EXPECT_GT(estimate->mib, 0) << place;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(JobModelFile, A_newer_version_and_another_kind_are_refused_by_name) {
  auto bytes = to_bytes(small_model());
  bytes[8] = 3;
  EXPECT_EQ(problem_of_job_file(bytes), "m.model: the model file is of version 3; this Dryfit reads up to 2");
  bytes[6] = 'm';
  EXPECT_EQ(problem_of_job_file(bytes), "m.model: a Dryfit model of another kind");
  EXPECT_EQ(problem_of_job_file(""), "m.model: not a Dryfit model file");
  EXPECT_EQ(problem_of_job_file("PK\3\4"), "m.model: not a Dryfit model file");
}

TEST(JobModelFile, A_file_is_written_and_read_and_failures_are_reported) {
  const TemporaryFolder folder;
  const auto file = folder / "j.model";
  ASSERT_TRUE(write_job_model(small_model(), file));
  EXPECT_TRUE(read_job_model(file));
  std::filesystem::remove(file);
  EXPECT_EQ(read_job_model(file).error().what, file.string() + ": cannot be opened");
  EXPECT_EQ(write_job_model(small_model(), "/nonexistent/m").error().what, "/nonexistent/m: cannot be written");
}

}  // namespace
}  // namespace dryfit::predictor
