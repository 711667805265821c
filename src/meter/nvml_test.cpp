// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/nvml.h"

#include <gtest/gtest.h>

#include "meter/testing.h"

namespace dryfit::meter {
namespace {

using testing::FakeNvml;

TEST(Nvml, Cards_and_their_processes_are_listed) {
  const FakeNvml fake("card NVIDIA A100-SXM4-40GB\ncard NVIDIA GeForce RTX 4090\nprocess 1 77 1000\nprocess 0 78 5\n");
  const auto nvml = Nvml::open(TESTING_NVML_LIBRARY);
  ASSERT_TRUE(nvml) << nvml.error().what;
  EXPECT_EQ(nvml->devices(), 2u);
  EXPECT_EQ(nvml->name(1), "NVIDIA GeForce RTX 4090");
  const auto processes = nvml->processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[1].device, 1u);
  EXPECT_EQ(processes[1].pid, 77);
  EXPECT_EQ(processes[1].used, Bytes{1000});
}

TEST(Nvml, A_list_of_processes_that_was_too_long_is_read_again) {
  std::string text = "card T4\n";
  for (int pid = 1; pid <= 100; ++pid) text += "process 0 " + std::to_string(pid) + " 8\n";
  const FakeNvml fake(text);
  EXPECT_EQ(Nvml::open(TESTING_NVML_LIBRARY)->processes().size(), 100u);
}

TEST(Nvml, A_process_without_a_memory_number_is_left_out) {
  const FakeNvml fake("card T4\nprocess 0 7 18446744073709551615\n");
  EXPECT_TRUE(Nvml::open(TESTING_NVML_LIBRARY)->processes().empty());
}

TEST(Nvml, Accounted_peaks_are_read_where_the_card_keeps_them) {
  const FakeNvml fake("card T4\naccount 0 7 500\n");
  const auto nvml = Nvml::open(TESTING_NVML_LIBRARY);
  EXPECT_EQ(nvml->accounted_peak(0, 7), Bytes{500});
  EXPECT_FALSE(nvml->accounted_peak(0, 8));
}

TEST(Nvml, What_is_missing_is_named) {
  EXPECT_NE(Nvml::open("libno-such-nvml.so.1").error().what.find("libno-such-nvml.so.1"), std::string::npos);
  EXPECT_EQ(Nvml::open(TESTING_NVML_LIBRARY).error().what, "NVML cannot be initialized: Driver Not Loaded");
  const FakeNvml fake("");
  EXPECT_EQ(Nvml::open(TESTING_NVML_LIBRARY).error().what, "NVML found no GPU");
}

}  // namespace
}  // namespace dryfit::meter
