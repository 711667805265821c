// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_model_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/crc64.h"
#include "base/temporary_folder.h"
#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_compute_model;

std::string problem_of_compute_file(std::string_view bytes) {
  const auto model = parse_compute_model(bytes, "m.model");
  return model ? "" : model.error().what;
}

/// With the checksum made right again.
std::string sealed_compute(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const auto sum = crc64(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

StepEstimate estimate_by(const ComputeVariant& variant) {
  const auto job = testing::sample_step_job();
  const auto rates = testing::rates_of("rtx-3090-24gb");
  return estimate_step(variant, {.job = job, .rates = rates});
}

TEST(ComputeModelFile, A_written_model_is_read_back_and_answers_the_same) {
  const auto model = sample_compute_model();
  const auto bytes = to_bytes(model);
  const auto read = parse_compute_model(bytes, "m.model");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->card, model.card);
  EXPECT_EQ(read->settings, model.settings);
  EXPECT_EQ(read->gpu_shift, model.gpu_shift);
  EXPECT_EQ(to_bytes(*read), bytes);
  ASSERT_EQ(read->variants.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(estimate_by(read->variants[i]).seconds, estimate_by(model.variants[i]).seconds);
    EXPECT_EQ(read->variants[i].below.folds, model.variants[i].below.folds);
  }
}

TEST(ComputeModelFile, It_begins_as_it_is_drawn) {
  const auto bytes = to_bytes(sample_compute_model());
  EXPECT_EQ(bytes.substr(0, 16), std::string("dryfitc\n\1\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(bytes.substr(24, 10), std::string("\6\0\0\0sample", 10));
}

TEST(ComputeModelFile, Any_cut_and_any_changed_byte_is_detected) {
  auto model = sample_compute_model();
  model.variants.pop_back();
  const auto bytes = to_bytes(model);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(problem_of_compute_file(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(problem_of_compute_file(bytes + "x"), "m.model: the model file is damaged");
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    auto changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 4);
    EXPECT_NE(problem_of_compute_file(changed), "") << place;
  }
}

TEST(ComputeModelFile, A_changed_byte_under_a_right_checksum_never_does_harm) {
  auto small = sample_compute_model();
  small.variants.pop_back();
  const auto bytes = to_bytes(small);
  std::size_t refused = 0;
  for (std::size_t place = 8; place < bytes.size() - 8; ++place) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      auto changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ flip);
      const auto model = parse_compute_model(sealed_compute(std::move(changed)), "m.model");
      if (!model || !check(*model)) {
        ++refused;
      } else {
        EXPECT_FALSE(std::isnan(estimate_by(model->variants[0]).seconds)) << place;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(ComputeModelFile, A_newer_version_and_another_kind_are_refused_by_name) {
  auto bytes = to_bytes(sample_compute_model());
  bytes[8] = 2;
  EXPECT_EQ(problem_of_compute_file(bytes), "m.model: the model file is of version 2; this Dryfit reads up to 1");
  bytes[6] = 'j';
  EXPECT_EQ(problem_of_compute_file(bytes), "m.model: a Dryfit model of another kind");
  EXPECT_EQ(problem_of_compute_file(""), "m.model: not a Dryfit model file");
}

TEST(ComputeModelFile, A_file_is_written_and_read_and_failures_are_reported) {
  const TemporaryFolder folder;
  const auto file = folder / "c.model";
  ASSERT_TRUE(write_compute_model(sample_compute_model(), file));
  EXPECT_TRUE(read_compute_model(file));
  std::filesystem::remove(file);
  EXPECT_EQ(read_compute_model(file).error().what, file.string() + ": cannot be opened");
}

}  // namespace
}  // namespace dryfit::predictor
