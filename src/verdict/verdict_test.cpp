// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

#include <gtest/gtest.h>

#include <csignal>

namespace dryfit::verdict {
namespace {

using namespace literals;

Card card() {
  Card card;
  card.id = "rtx-4060-8gb";
  card.name = "NVIDIA GeForce RTX 4060";
  card.compute_capability = {8, 9};
  card.total_memory = 8_GiB;
  return card;
}

analysis::DeviceSummary device(Bytes reserved, std::uint32_t ordinal = 0) {
  analysis::DeviceSummary device;
  device.ordinal = device.slot = ordinal;
  device.capacity = 8_GiB;
  device.peak_torch_reserved = reserved;
  device.peak_context = 200_MiB;
  device.peak = reserved + 200_MiB;
  device.peak_at = {2, "backward"};
  device.torch_peak_reserved = reserved;
  return device;
}

analysis::ProcessSummary trainer(std::uint64_t steps, Bytes reserved = 4_GiB) {
  analysis::ProcessSummary process;
  process.pid = 42;
  process.steps = steps;
  process.hooks = process.forward_seen = process.backward_seen = true;
  process.notes = {{"software.python", "3.11.7"}, {"software.torch", "2.6.0+cu124"}, {"torch.cuda_build", "1"}};
  process.devices = {device(reserved)};
  return process;
}

RunFacts ended_after_steps(analysis::ProcessSummary process) {
  RunFacts facts;
  facts.ended_by_us = true;
  facts.processes = {std::move(process)};
  return facts;
}

RunFacts exited(int code, std::vector<analysis::ProcessSummary> processes) {
  RunFacts facts;
  facts.exit_code = code;
  facts.processes = std::move(processes);
  return facts;
}

analysis::ProcessSummary with_oom(analysis::ProcessSummary process, std::uint64_t steps_by_then) {
  process.devices[0].last_oom = {512_MiB, 338_MiB, {steps_by_then + 1, "forward"}};
  process.devices[0].first_oom = process.devices[0].last_oom;
  process.devices[0].ooms = 1;
  process.last_oom_step = steps_by_then;
  return process;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_doubt(const RunFacts& facts, const std::string& reason_part) {
  const auto verdict = judge(card(), facts);
  EXPECT_EQ(verdict.answer, Answer::cannot_tell);
  EXPECT_TRUE(contains(verdict.reason, reason_part)) << verdict.reason;
  EXPECT_FALSE(verdict.hint.empty());
}

TEST(Judge, A_run_ended_after_its_steps_fits_with_its_numbers) {
  const auto verdict = judge(card(), ended_after_steps(trainer(3)));
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(verdict.steps, 3u);
  EXPECT_EQ(verdict.device_peak, 4_GiB + 200_MiB);
  EXPECT_EQ(verdict.headroom, static_cast<std::int64_t>((8_GiB - 4_GiB - 200_MiB).count));
  EXPECT_EQ(verdict.peak_at.phase, "backward");
  EXPECT_EQ(verdict.software.at("torch"), "2.6.0+cu124");
  EXPECT_TRUE(verdict.device_used);
  EXPECT_TRUE(verdict.reason.empty());
}

TEST(Judge, A_run_that_exits_well_after_a_step_fits) {
  EXPECT_EQ(judge(card(), exited(0, {trainer(1)})).answer, Answer::fits);
}

TEST(Judge, An_out_of_memory_error_that_ends_the_program_does_not_fit) {
  const auto verdict = judge(card(), exited(1, {with_oom(trainer(0), 0)}));
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  ASSERT_TRUE(verdict.oom);
  EXPECT_EQ(verdict.oom->requested, 512_MiB);
  EXPECT_EQ(verdict.oom->at.phase, "forward");
  EXPECT_EQ(verdict.ooms, 1u);
}

TEST(Judge, A_cap_is_named_where_the_GPU_had_room) {
  auto process = with_oom(trainer(0), 0);
  process.devices[0].last_oom->device_free = 3_GiB;
  auto facts = exited(1, {process});
  facts.cap = 4_GiB;
  const auto verdict = judge(card(), facts);
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  EXPECT_EQ(verdict.reason, "PyTorch's allocator reached its cap of 4.00 GiB");
  facts.processes[0].devices[0].last_oom->device_free = 100_MiB;
  EXPECT_EQ(judge(card(), facts).reason, "PyTorch ran out of device memory");
}

TEST(Judge, What_others_hold_is_not_headroom) {
  auto shared = card();
  shared.held_by_others = 3_GiB;
  const auto verdict = judge(shared, ended_after_steps(trainer(3)));
  EXPECT_EQ(verdict.capacity, 5_GiB);
  EXPECT_EQ(verdict.headroom, static_cast<std::int64_t>((5_GiB - 4_GiB - 200_MiB).count));
}

TEST(Judge, An_out_of_memory_error_swallowed_without_another_step_does_not_fit) {
  EXPECT_EQ(judge(card(), exited(0, {with_oom(trainer(2), 2)})).answer, Answer::does_not_fit);
}

TEST(Judge, An_out_of_memory_error_that_repeats_until_the_timeout_does_not_fit) {
  RunFacts facts = exited(0, {with_oom(trainer(0), 0)});
  facts.timed_out = true;
  EXPECT_EQ(judge(card(), facts).answer, Answer::does_not_fit);
}

TEST(Judge, A_script_that_handles_its_out_of_memory_error_and_goes_on_is_tight_and_says_so) {
  const auto verdict = judge(card(), ended_after_steps(with_oom(trainer(3), 0)));
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_FALSE(verdict.oom);
  EXPECT_FALSE(verdict.reason.empty());
  EXPECT_EQ(verdict.diagnostics.counts().at("oom_handled_by_script"), 1u);
}

TEST(Judge, A_program_that_fails_long_after_a_handled_out_of_memory_error_cannot_be_told) {
  expect_doubt(exited(1, {with_oom(trainer(2), 0)}), "exit code 1 after 2 optimizer steps");
}

TEST(Judge, A_library_refused_by_the_driver_before_a_failure_does_not_fit) {
  auto process = trainer(0);
  process.devices[0].last_refusal = {{64_MiB, 10_MiB, {1, "forward"}}, "libcublas.so.12", false, 0};
  const auto verdict = judge(card(), exited(1, {process}));
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  EXPECT_TRUE(contains(verdict.reason, "libcublas.so.12"));
  EXPECT_EQ(judge(card(), exited(0, {trainer(1)})).answer, Answer::fits);
}

TEST(Judge, A_refusal_that_torch_recovered_from_is_no_cause_of_a_later_failure) {
  auto process = trainer(0);
  process.devices[0].last_refusal = {{64_MiB, 10_MiB, {1, "forward"}}, "libcudart.so.12", true, 0};
  expect_doubt(exited(1, {process}), "exit code 1 before its first optimizer step");
}

TEST(Judge, A_refusal_in_an_unwatched_process_that_failed_does_not_fit) {
  auto process = trainer(0);
  process.hooks = false;
  process.notes.clear();
  process.devices[0].last_refusal = {{64_MiB, 10_MiB, {0, "load"}}, "libcudart.so.12", true, 0};
  EXPECT_EQ(judge(card(), exited(1, {process})).answer, Answer::does_not_fit);
}

TEST(Judge, A_command_that_never_loads_the_driver_cannot_be_told) {
  expect_doubt(exited(0, {}), "without loading the CUDA driver");
  expect_doubt(exited(1, {}), "before it loaded the CUDA driver");
  EXPECT_FALSE(judge(card(), exited(0, {})).device_used);
}

TEST(Judge, Python_without_PyTorch_cannot_be_told) {
  auto process = trainer(0);
  process.notes = {{"software.python", "3.11.7"}};
  process.devices.clear();
  expect_doubt(exited(0, {process}), "never imported PyTorch");
  expect_doubt(exited(1, {process}), "before it imported PyTorch");
}

TEST(Judge, A_CPU_only_PyTorch_is_named_as_the_cause_of_the_failure_it_leads_to) {
  auto process = trainer(0);
  process.notes["torch.cuda_build"] = "0";
  process.notes["software.torch"] = "2.6.0+cpu";
  process.devices.clear();
  expect_doubt(exited(1, {process}), "2.6.0+cpu is a CPU-only build");
  expect_doubt(exited(0, {process}), "CPU-only build");
}

TEST(Judge, A_script_that_raises_cannot_be_told) {
  expect_doubt(exited(1, {trainer(0)}), "exit code 1 before its first optimizer step; its own output is above");
}

TEST(Judge, A_script_that_raises_after_some_steps_cannot_be_told) {
  expect_doubt(exited(2, {trainer(1)}), "exit code 2 after 1 optimizer step;");
}

TEST(Judge, A_killed_program_names_its_signal) {
  auto facts = exited(0, {trainer(0)});
  facts.exit_code.reset();
  facts.signal = SIGKILL;
  expect_doubt(facts, "killed by SIGKILL before its first optimizer step");
  EXPECT_TRUE(contains(judge(card(), facts).hint, "out of memory"));
  facts.signal = SIGSEGV;
  expect_doubt(facts, "killed by SIGSEGV");
}

TEST(Judge, A_shells_exit_code_tells_the_signal_of_its_child) {
  expect_doubt(exited(137, {trainer(0)}), "killed by SIGKILL");
}

TEST(Judge, A_limit_on_processor_time_or_file_size_is_named) {
  RunFacts facts;
  facts.processes = {trainer(0)};
  facts.signal = SIGXCPU;
  EXPECT_NE(judge(card(), facts).hint.find("ulimit -t"), std::string::npos);
  facts.signal = SIGXFSZ;
  EXPECT_NE(judge(card(), facts).hint.find("ulimit -f"), std::string::npos);
  facts.signal = SIGKILL;
  EXPECT_EQ(judge(card(), facts).hint.find("ulimit -t"), std::string::npos);
  facts.cpu_limit_seconds = 60;
  EXPECT_NE(judge(card(), facts).hint.find("60 s of CPU time that `ulimit -t` allows"), std::string::npos);
}

TEST(Judge, A_timeout_before_the_first_step_cannot_be_told_and_before_the_last_is_tight) {
  RunFacts facts;
  facts.timed_out = true;
  facts.processes = {trainer(0)};
  expect_doubt(facts, "--timeout");
  facts.processes = {trainer(1)};
  const auto verdict = judge(card(), facts);
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_EQ(verdict.caveats.front().name, "stopped_early");
  EXPECT_NE(verdict.reason.find("after 1 of 3 steps"), std::string::npos) << verdict.reason;
  EXPECT_EQ(verdict.diagnostics.counts().at("stopped_by_timeout"), 1u);
  facts.planned_steps = 5;
  EXPECT_NE(judge(card(), facts).reason.find("after 1 of 5 steps"), std::string::npos);
  facts.planned_steps.reset();
  facts.processes = {trainer(3)};
  EXPECT_EQ(judge(card(), facts).answer, Answer::fits) << "a program without an end has shown enough";
}

TEST(Judge, A_peak_in_the_last_step_watched_is_noted) {
  EXPECT_EQ(judge(card(), ended_after_steps(trainer(2))).diagnostics.counts().at("peak_in_last_step"), 1u);
  EXPECT_TRUE(judge(card(), ended_after_steps(trainer(3))).diagnostics.empty());
  EXPECT_TRUE(judge(card(), exited(0, {trainer(2)})).diagnostics.empty()) << "the program ended by itself";
}

TEST(Judge, An_interrupted_run_cannot_be_told_whatever_it_did) {
  RunFacts facts;
  facts.interrupted = true;
  facts.processes = {with_oom(trainer(0), 0)};
  expect_doubt(facts, "interrupted before its first optimizer step");
}

TEST(Judge, A_program_that_ran_to_its_end_fits_without_a_training_step) {
  const auto verdict = judge(card(), exited(0, {trainer(0)}));
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(verdict.diagnostics.counts().at("no_training_step"), 1u);
  EXPECT_EQ(verdict.device_peak, 4_GiB + 200_MiB);
}

TEST(Judge, A_program_without_hooks_fits_as_well_if_it_ran_to_its_end) {
  auto process = trainer(0);
  process.hooks = false;
  process.notes.clear();
  EXPECT_EQ(judge(card(), exited(0, {process})).answer, Answer::fits);
  RunFacts facts;
  facts.timed_out = true;
  facts.processes = {process};
  EXPECT_EQ(judge(card(), facts).answer, Answer::cannot_tell);
}

TEST(Judge, A_program_that_put_nothing_on_the_GPU_cannot_be_told) {
  auto process = trainer(0);
  process.devices = {device(Bytes{})};
  expect_doubt(exited(0, {process}), "put nothing on the GPU");
}

TEST(Judge, A_run_that_went_on_says_so) {
  auto process = trainer(5);
  process.notes["steps.extended"] = "3";
  EXPECT_EQ(judge(card(), ended_after_steps(process)).diagnostics.counts().at("ran_more_steps"), 1u);
}

TEST(Judge, A_failed_hook_makes_a_fit_tight) {
  auto process = trainer(3);
  process.notes["hooks.error"] = "Explaining.write: KeyError: 1";
  const auto verdict = judge(card(), ended_after_steps(process));
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_EQ(verdict.caveats.front().name, "hooks_failed");
}

TEST(Judge, A_program_that_stays_on_the_CPU_cannot_be_told) {
  auto process = trainer(3);
  process.devices.clear();
  expect_doubt(exited(0, {process}), "without using the GPU");
  expect_doubt(ended_after_steps(process), "without using the GPU");
}

TEST(Judge, An_incomplete_record_never_fits) {
  auto process = trainer(3);
  process.complete = false;
  process.incomplete_why = "no space left on device";
  expect_doubt(ended_after_steps(process), "process 42 is incomplete: no space left on device");
}

TEST(Judge, A_chip_that_the_libraries_have_no_code_for_is_named) {
  auto process = trainer(0);
  process.diagnostics.add("driver.no_kernel_image");
  process.notes["program.error"] = "RuntimeError: CUDA error: no kernel image is available for execution on the device";
  expect_doubt(exited(1, {process}), "(PyTorch 2.6.0+cu124) have no code for compute capability 8.9");
}

TEST(Judge, Processes_on_one_device_add_up_as_an_upper_bound) {
  RunFacts facts = ended_after_steps(trainer(3, 2_GiB));
  facts.processes.push_back(trainer(3, 3_GiB));
  const auto verdict = judge(card(), facts);
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(verdict.device_peak, 5_GiB + 400_MiB);
  EXPECT_EQ(verdict.torch_peak_reserved, 5_GiB);
  EXPECT_EQ(verdict.diagnostics.counts().at("processes_share_device"), 1u);
}

TEST(Judge, Processes_that_fit_alone_but_perhaps_not_together_cannot_be_told) {
  RunFacts facts = ended_after_steps(trainer(3, 5_GiB));
  facts.processes.push_back(trainer(3, 5_GiB));
  expect_doubt(facts, "2 processes share GPU 0");
}

TEST(Judge, Of_several_devices_the_fullest_answers) {
  auto process = trainer(3, 2_GiB);
  process.devices.push_back(device(6_GiB, 1));
  const auto verdict = judge(card(), ended_after_steps(process));
  EXPECT_EQ(verdict.device_peak, 6_GiB + 200_MiB);
  EXPECT_TRUE(verdict.diagnostics.empty());
}

TEST(ExitCode, A_card_that_does_not_fit_outweighs_one_that_cannot_be_told) {
  const auto answers = [](std::vector<Answer> list) {
    std::vector<Verdict> verdicts(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) verdicts[i].answer = list[i];
    return exit_code(verdicts);
  };
  EXPECT_EQ(answers({Answer::fits, Answer::fits}), 0);
  EXPECT_EQ(answers({Answer::fits, Answer::tight}), 0);
  EXPECT_EQ(answers({Answer::fits, Answer::cannot_tell}), 1);
  EXPECT_EQ(answers({Answer::cannot_tell, Answer::does_not_fit, Answer::fits}), 3);
  EXPECT_EQ(answers({}), 1);
}

TEST(ExitCode, Strict_counts_a_tight_fit_as_none) {
  std::vector<Verdict> verdicts(2);
  verdicts[0].answer = Answer::fits;
  verdicts[1].answer = Answer::tight;
  EXPECT_EQ(exit_code(verdicts, false), 0);
  EXPECT_EQ(exit_code(verdicts, true), 3);
}

}  // namespace
}  // namespace dryfit::verdict
