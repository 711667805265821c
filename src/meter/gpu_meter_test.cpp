// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/gpu_meter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "meter/testing.h"

namespace dryfit::meter {
namespace {

using testing::FakeNvml;

std::string card_name(std::size_t device) { return "card " + std::to_string(device); }
std::optional<Bytes> no_accounts(std::size_t, pid_t) { return std::nullopt; }
bool is_even(pid_t pid) { return pid % 2 == 0; }

TEST(GpuTally, The_most_that_all_processes_held_at_once_is_kept) {
  GpuTally tally;
  tally.add(std::vector<GpuProcess>{{0, 2, Bytes{100}}, {0, 4, Bytes{50}}}, is_even);
  tally.add(std::vector<GpuProcess>{{0, 2, Bytes{120}}}, is_even);
  tally.add({}, is_even);
  const auto peak = tally.fullest(card_name, no_accounts);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->peak, Bytes{150});
  EXPECT_EQ(peak->card, "card 0");
  EXPECT_FALSE(peak->accounted);
}

TEST(GpuTally, Processes_of_others_do_not_count) {
  GpuTally tally;
  tally.add(std::vector<GpuProcess>{{0, 3, Bytes{1000}}, {1, 4, Bytes{10}}}, is_even);
  EXPECT_EQ(tally.fullest(card_name, no_accounts)->card, "card 1");
  EXPECT_FALSE(GpuTally().fullest(card_name, no_accounts));
}

TEST(GpuTally, An_accounted_peak_above_the_samples_is_preferred) {
  GpuTally tally;
  tally.add(std::vector<GpuProcess>{{0, 2, Bytes{100}}}, is_even);
  const auto peak = tally.fullest(card_name, [](std::size_t, pid_t pid) -> std::optional<Bytes> {
    return pid == 2 ? std::optional(Bytes{130}) : std::nullopt;
  });
  EXPECT_EQ(peak->peak, Bytes{130});
  EXPECT_TRUE(peak->accounted);
  EXPECT_EQ(tally.fullest(card_name, [](std::size_t, pid_t) { return std::optional(Bytes{90}); })->peak, Bytes{100});
}

/// A process that waits until it is no longer needed.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::string id() const { return std::to_string(pid_); }

 private:
  pid_t pid_;
};

TEST(GpuMeter, Numbers_that_come_and_go_are_seen) {
  const Child child;
  const FakeNvml fake("card NVIDIA GeForce RTX 4090\nprocess 0 1 9999\n");
  GpuMeter meter(::getpid(), TESTING_NVML_LIBRARY, std::chrono::milliseconds(1));
  for (const auto* bytes : {"100", "700", "300"}) {
    fake.write("card NVIDIA GeForce RTX 4090\nprocess 0 " + child.id() + " " + bytes + "\n");
    ASSERT_TRUE(fake.is_seen(child.id() + " " + bytes));
  }
  const auto findings = meter.finish();
  ASSERT_TRUE(findings.fullest) << findings.missing;
  EXPECT_EQ(findings.fullest->peak, Bytes{700});
  EXPECT_EQ(findings.fullest->card, "NVIDIA GeForce RTX 4090");
}

TEST(GpuMeter, Without_a_driver_or_a_process_it_says_what_is_missing) {
  EXPECT_EQ(GpuMeter(::getpid(), TESTING_NVML_LIBRARY).finish().missing,
            "NVML cannot be initialized: Driver Not Loaded");
  const FakeNvml fake("card T4\nprocess 0 1 50\n");
  EXPECT_EQ(GpuMeter(::getpid(), TESTING_NVML_LIBRARY).finish().missing, "NVML saw no process of the command on a GPU");
}

}  // namespace
}  // namespace dryfit::meter
