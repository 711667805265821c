// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/sharing.h"

#include <gtest/gtest.h>

namespace dryfit::verdict {
namespace {

using namespace literals;

constexpr std::uint32_t kFirst = 41, kSecond = 42;

Card card_of_8_gib() {
  Card card;
  card.id = "rtx-4060-8gb";
  card.total_memory = 8_GiB;
  return card;
}

analysis::ProcessSummary sharing_trainer(std::uint32_t pid, Bytes peak) {
  analysis::ProcessSummary process;
  process.pid = pid;
  process.steps = 3;
  process.hooks = process.forward_seen = process.backward_seen = true;
  process.notes = {{"process.41", "python a.py"}, {"process.42", "python b.py"}};
  analysis::DeviceSummary device;
  device.peak = device.peak_torch_reserved = device.capacity = peak;
  device.peak_at = {2, "backward"};
  process.devices = {device};
  return process;
}

/// Two processes with peaks of 5 GiB each that held `together` at once, when the GPU was fullest.
RunFacts two_processes(Bytes together) {
  RunFacts facts;
  facts.ended_by_us = true;
  facts.processes = {sharing_trainer(kFirst, 5_GiB), sharing_trainer(kSecond, 5_GiB)};
  analysis::SharedDevice shared;
  shared.peak.peak = shared.peak.peak_torch_reserved = together;
  shared.peak.peak_at = {2, "backward"};
  shared.holders = {{kFirst, "python a.py", 5_GiB}, {kSecond, "python b.py", together - 5_GiB}};
  shared.coinciding_peak = 10_GiB;
  facts.shared = {shared};
  return facts;
}

RunFacts second_fails() {
  auto facts = two_processes(7_GiB);
  auto& process = facts.processes[1];
  process.steps = 0;
  process.devices[0].last_oom = analysis::FailedRequest{2_GiB, 1_GiB, {1, "forward"}, {{kFirst, "python a.py", 5_GiB}}};
  return facts;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SharedGpu, A_process_that_became_another_program_is_one_process) {
  auto facts = two_processes(5_GiB);
  auto& before = facts.processes[0];
  auto& after = facts.processes[1];
  before.pid = after.pid = kFirst;
  before.last_event = 1000;
  after.began = 2000;
  before.devices[0].torch_peak_allocated = 4_GiB;
  after.devices[0].torch_peak_allocated = 3_GiB;
  facts.shared[0].holders.pop_back();
  const auto verdict = judge(card_of_8_gib(), facts);
  EXPECT_EQ(verdict.answer, Answer::fits) << verdict.reason;
  EXPECT_EQ(verdict.device_peak, 5_GiB);
  EXPECT_EQ(verdict.torch_peak_allocated, 4_GiB);
  EXPECT_FALSE(verdict.sharing);
  EXPECT_FALSE(verdict.diagnostics.counts().contains("processes_share_device"));
}

TEST(SharedGpu, Two_of_the_same_number_that_live_at_once_are_two) {
  auto facts = two_processes(5_GiB);
  facts.shared.clear();
  for (auto& process : facts.processes) process.pid = kFirst, process.began = 1000, process.last_event = 3000;
  EXPECT_EQ(judge(card_of_8_gib(), facts).device_peak, 10_GiB);
}

TEST(SharedGpu, The_peak_is_that_of_all_processes_together) {
  const auto verdict = judge(card_of_8_gib(), two_processes(7_GiB));
  EXPECT_EQ(verdict.device_peak, 7_GiB);
  EXPECT_EQ(verdict.headroom, static_cast<std::int64_t>((1_GiB).count));
  ASSERT_TRUE(verdict.sharing);
  EXPECT_EQ(verdict.sharing->processes, 2);
  EXPECT_EQ(verdict.sharing->at_peak.size(), 2u);
}

TEST(SharedGpu, A_fit_that_depends_on_when_the_peaks_come_is_tight) {
  const auto verdict = judge(card_of_8_gib(), two_processes(7_GiB));
  EXPECT_EQ(verdict.answer, Answer::tight);
  ASSERT_FALSE(verdict.caveats.empty());
  EXPECT_EQ(verdict.caveats[0].name, "timing");
  EXPECT_TRUE(mentions(verdict.reason, "10.00 GiB")) << verdict.reason;
}

TEST(SharedGpu, A_fit_for_all_peaks_at_once_is_a_fit) {
  auto facts = two_processes(7_GiB);
  facts.shared[0].coinciding_peak = 8_GiB;
  EXPECT_EQ(judge(card_of_8_gib(), facts).answer, Answer::fits);
}

TEST(SharedGpu, The_process_that_failed_is_named_with_who_held_the_memory) {
  const auto verdict = judge(card_of_8_gib(), second_fails());
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  EXPECT_EQ(
      verdict.reason,
      "PyTorch ran out of device memory in process 42 (python b.py), while process 41 (python a.py) held 5.00 GiB");
  EXPECT_FALSE(verdict.hint.empty());
  ASSERT_TRUE(verdict.sharing && verdict.sharing->failed);
  EXPECT_EQ(verdict.sharing->failed->pid, kSecond);
  EXPECT_EQ(verdict.sharing->failed->held, 2_GiB) << "8 GiB but for 1 free and the other's 5";
}

TEST(SharedGpu, A_failure_while_nobody_else_held_memory_is_the_programs_own) {
  auto facts = second_fails();
  facts.processes[1].devices[0].last_oom->others.clear();
  const auto verdict = judge(card_of_8_gib(), facts);
  EXPECT_EQ(verdict.reason, "PyTorch ran out of device memory");
  EXPECT_FALSE(verdict.sharing->failed);
}

TEST(SharedGpu, Processes_that_could_not_be_counted_together_cannot_be_told_and_the_reason_is_named) {
  auto facts = two_processes(7_GiB);
  facts.shared.clear();
  facts.processes[0].notes["ledger.problem"] = "its file cannot be used: No space left on device";
  const auto verdict = judge(card_of_8_gib(), facts);
  EXPECT_EQ(verdict.answer, Answer::cannot_tell);
  EXPECT_TRUE(mentions(verdict.reason, "No space left on device")) << verdict.reason;
}

TEST(SharedGpu, Processes_on_different_devices_do_not_add_up) {
  auto facts = two_processes(7_GiB);
  facts.shared.clear();
  facts.processes[1].devices[0].slot = 1;
  const auto verdict = judge(card_of_8_gib(), facts);
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(verdict.device_peak, 5_GiB);
}

TEST(SharedGpu, Long_commands_are_cut_in_sentences) {
  const analysis::Holder process{7, "python " + std::string(100, 'x'), 0_B};
  EXPECT_EQ(name_of(process), "process 7 (python " + std::string(38, 'x') + "...)");
}

}  // namespace
}  // namespace dryfit::verdict
