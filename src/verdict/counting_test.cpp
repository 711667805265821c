// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/counting.h"

#include <gtest/gtest.h>

namespace dryfit::verdict {
namespace {

using namespace literals;

Card counting_card() {
  Card card;
  card.id = "rtx-4060-8gb";
  card.total_memory = 8_GiB;
  card.context_memory = 200_MiB;
  return card;
}

analysis::ProcessSummary counting_trainer(std::uint64_t steps) {
  analysis::ProcessSummary process;
  process.steps = steps;
  process.hooks = process.forward_seen = process.backward_seen = true;
  process.notes = {{"software.torch", "2.6.0+cu124"}};
  process.devices.resize(1);
  process.devices[0].peak = 1_GiB;
  return process;
}

RunFacts exited_counting(int code, std::vector<analysis::ProcessSummary> processes) {
  RunFacts facts;
  facts.exit_code = code;
  facts.processes = std::move(processes);
  return facts;
}

TEST(Counting, The_work_of_all_processes_adds_up_step_by_step) {
  auto one = counting_trainer(2), other = counting_trainer(1);
  one.compute = {{10, 20}, {{"mm", "Net.a", 15}, {"mm", "Net.b", 5}}, {}};
  other.compute = {{1}, {{"mm", "Net.b", 1}}, {{"_cudnn_rnn", 2}}};
  const auto counting = count(counting_card(), exited_counting(0, {one, other}));
  EXPECT_EQ(counting.card, "rtx-4060-8gb");
  EXPECT_EQ(counting.reason, "");
  EXPECT_EQ(counting.compute.steps, (std::vector<std::uint64_t>{11, 20}));
  ASSERT_EQ(counting.compute.last_step.size(), 2u);
  EXPECT_EQ(counting.compute.last_step[1].flops, 6u);
  EXPECT_EQ(counting.compute.uncounted.at("_cudnn_rnn"), 2u);
}

TEST(Counting, Bytes_moved_and_kernels_launched_add_up_too) {
  auto one = counting_trainer(2), other = counting_trainer(1);
  one.compute = {.steps = {10, 20}, .traffic = {100, 200}, .moved = {{"add", "Net.a", 200}}};
  one.launches = {{"gemm", 4}, {"add", 1}};
  other.compute = {.steps = {1}, .traffic = {7}, .moved = {{"add", "Net.a", 5}, {"mm", "", 2}}};
  other.launches = {{"gemm", 3}};
  const auto counting = count(counting_card(), exited_counting(0, {one, other}));
  EXPECT_EQ(counting.compute.traffic, (std::vector<std::uint64_t>{107, 200}));
  ASSERT_EQ(counting.compute.moved.size(), 2u);
  EXPECT_EQ(counting.compute.moved[0].bytes, 205u);
  EXPECT_EQ(counting.kernels, (std::map<std::string, std::uint64_t>{{"add", 1}, {"gemm", 7}}));
}

TEST(Counting, A_run_without_a_whole_step_says_why) {
  EXPECT_EQ(count(counting_card(), exited_counting(0, {counting_trainer(3)})).reason, "no step was counted");
  EXPECT_NE(count(counting_card(), exited_counting(7, {counting_trainer(0)})).reason.find("exit code 7"),
            std::string::npos);
  EXPECT_NE(count(counting_card(), {.interrupted = true}).reason.find("interrupted"), std::string::npos);
}

TEST(Counting, A_PyTorch_that_is_too_old_is_named) {
  auto old = counting_trainer(3);
  old.notes["flops.unavailable"] = "it needs PyTorch 2.5 or later";
  EXPECT_EQ(count(counting_card(), exited_counting(0, {old})).reason, "it needs PyTorch 2.5 or later");
}

TEST(Counting, What_was_counted_before_a_failure_holds) {
  auto failed = counting_trainer(1);
  failed.compute = {{10}, {}, {}};
  const auto counting = count(counting_card(), exited_counting(1, {failed}));
  EXPECT_EQ(counting.compute.steps, (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(counting.reason, "");
}

TEST(Counting, Endless_memory_changes_nothing_else) {
  const auto endless = endless_memory(counting_card());
  EXPECT_GT(endless.total_memory, 512_GiB);
  EXPECT_EQ(endless.id, counting_card().id);
  EXPECT_EQ(endless.context_memory, counting_card().context_memory);
}

}  // namespace
}  // namespace dryfit::verdict
