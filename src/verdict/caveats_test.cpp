// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/caveats.h"

#include <gtest/gtest.h>

namespace dryfit::verdict {
namespace {

using namespace literals;

constexpr Bytes kCapacity = 8_GiB;
constexpr Bytes kContext = 200_MiB;
constexpr Bytes kSpread = 40_MiB;

Card caveats_card() {
  Card card;
  card.id = "rtx-4060-8gb";
  card.total_memory = kCapacity;
  card.context_memory = kContext;
  card.context_spread = kSpread;
  return card;
}

/// A training of three steps whose peak leaves `headroom` of the card.
analysis::ProcessSummary trainer_leaving(Bytes headroom) {
  analysis::ProcessSummary process;
  process.pid = 42;
  process.steps = 3;
  process.hooks = process.forward_seen = process.backward_seen = true;
  analysis::DeviceSummary device;
  device.capacity = kCapacity;
  device.peak = kCapacity - headroom;
  device.peak_context = kContext;
  device.peak_libraries = 18_MiB;
  device.peak_code = 8_MiB;
  device.peak_torch_reserved = device.peak - kContext - 26_MiB;
  device.torch_peak_reserved = device.peak_torch_reserved;
  device.peak_at = {2, "backward"};
  process.devices = {device};
  return process;
}

RunFacts stopped(analysis::ProcessSummary process) {
  RunFacts facts;
  facts.ended_by_us = true;
  facts.processes = {std::move(process)};
  return facts;
}

std::vector<std::string> names(const Verdict& verdict) {
  std::vector<std::string> result;
  for (const auto& caveat : verdict.caveats) result.push_back(caveat.name);
  return result;
}

using Names = std::vector<std::string>;

void expect_tight(const RunFacts& facts, const Names& because) {
  const auto verdict = judge(caveats_card(), facts);
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_EQ(names(verdict), because);
  EXPECT_EQ(verdict.reason, verdict.caveats.empty() ? "" : verdict.caveats.front().text);
}

void expect_plain_fit(const RunFacts& facts) {
  const auto verdict = judge(caveats_card(), facts);
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(names(verdict), Names{});
}

TEST(Interval, What_PyTorch_does_not_see_lies_within_the_spread_of_the_card) {
  const auto verdict = judge(caveats_card(), stopped(trainer_leaving(1_GiB)));
  EXPECT_EQ(verdict.outside_low, 186_MiB);
  EXPECT_EQ(verdict.outside_high, 266_MiB);
  EXPECT_EQ(verdict.device_peak_low, verdict.device_peak - kSpread);
  EXPECT_EQ(verdict.device_peak_high, verdict.device_peak + kSpread);
}

TEST(Interval, What_was_counted_is_its_lowest_end) {
  auto uncertain = caveats_card();
  uncertain.context_spread = 1_GiB;
  const auto verdict = judge(uncertain, stopped(trainer_leaving(4_GiB)));
  EXPECT_EQ(verdict.outside_low, 26_MiB);
  EXPECT_EQ(verdict.device_peak_low, verdict.reserved_at_peak + 26_MiB);
}

TEST(Interval, Each_process_on_the_device_adds_its_own_uncertainty) {
  auto facts = stopped(trainer_leaving(6_GiB));
  facts.processes.push_back(trainer_leaving(6_GiB));
  const auto verdict = judge(caveats_card(), facts);
  EXPECT_EQ(verdict.device_peak_high, verdict.device_peak + kSpread * 2);
}

TEST(Fit, Is_tight_when_only_the_upper_bound_of_the_outside_memory_would_not_fit) {
  expect_tight(stopped(trainer_leaving(39_MiB)), {"outside_memory"});
  expect_plain_fit(stopped(trainer_leaving(40_MiB)));
}

TEST(Fit, Is_tight_when_PyTorch_had_to_give_back_its_cache) {
  auto process = trainer_leaving(3_GiB);
  process.devices[0].alloc_retries = 2;
  expect_tight(stopped(process), {"memory_ran_short"});
}

TEST(Fit, Is_tight_when_a_library_was_refused_and_did_without) {
  auto process = trainer_leaving(3_GiB);
  process.devices[0].last_refusal = {{64_MiB, 10_MiB, {1, "forward"}}, "libcublas.so.12", false, 0};
  expect_tight(stopped(process), {"memory_ran_short"});
}

TEST(Fit, Is_tight_when_values_were_not_followed_and_less_than_a_quarter_is_left) {
  auto process = trainer_leaving(1_GiB);
  process.notes["values.not_followed"] = "it needs PyTorch 2.5 or later";
  expect_tight(stopped(process), {"values_not_followed"});
  process = trainer_leaving(3_GiB);
  process.notes["values.not_followed"] = "it needs PyTorch 2.5 or later";
  expect_plain_fit(stopped(process));
  EXPECT_EQ(judge(caveats_card(), stopped(process)).diagnostics.counts().count("values.not_followed"), 1u);
}

TEST(Fit, Is_tight_when_another_order_of_addresses_could_take_what_is_left) {
  auto facts = stopped(trainer_leaving(200_MiB));
  expect_plain_fit(facts);
  facts.address_order_assumed = true;
  expect_tight(facts, {"address_order"});
  EXPECT_NE(judge(caveats_card(), facts).hint.find("--address-orders"), std::string::npos);
  facts.processes = {trainer_leaving(300_MiB)};
  expect_plain_fit(facts);
}

TEST(Fit, Rests_on_sizes_assumed_below_their_largest_only_with_much_headroom) {
  auto process = trainer_leaving(2_GiB);
  process.assumptions = {{"nonzero", "train.py:42", 3, 10, 20}};
  expect_tight(stopped(process), {"assumed_sizes"});
  process = trainer_leaving(3_GiB);
  process.assumptions = {{"nonzero", "train.py:42", 3, 10, 20}};
  expect_plain_fit(stopped(process));
}

TEST(Fit, With_every_assumed_size_at_its_largest_is_plain) {
  auto process = trainer_leaving(500_MiB);
  process.assumptions = {{"nonzero", "train.py:42", 3, 20, 20}};
  expect_plain_fit(stopped(process));
  EXPECT_EQ(judge(caveats_card(), stopped(process)).assumptions.size(), 1u);
}

TEST(Fit, Of_a_tuned_program_is_tight_with_little_headroom_and_noted_otherwise) {
  auto process = trainer_leaving(400_MiB);
  process.notes["tuning.cudnn_benchmark"] = "1";
  expect_tight(stopped(process), {"tuning"});
  process = trainer_leaving(1_GiB);
  process.notes["tuning.triton_autotune"] = "1";
  expect_plain_fit(stopped(process));
  const auto verdict = judge(caveats_card(), stopped(process));
  EXPECT_EQ(verdict.diagnostics.counts().at("peak_depends_on_tuning"), 1u);
  EXPECT_EQ(verdict.tuning, Names{"Triton's autotuner"});
}

TEST(Fit, Is_tight_when_the_peak_came_in_the_last_step_watched_and_little_is_left) {
  auto process = trainer_leaving(400_MiB);
  process.devices[0].peak_at = {3, "backward"};
  expect_tight(stopped(process), {"still_growing"});
  RunFacts ended_itself;
  ended_itself.exit_code = 0;
  ended_itself.processes = {process};
  expect_plain_fit(ended_itself);
}

RunFacts failed_missing(Bytes missing) {
  auto process = trainer_leaving(100_MiB);
  process.steps = 0;
  process.devices[0].ooms = 1;
  process.devices[0].last_oom = {500_MiB, 100_MiB, {1, "forward"}};
  process.devices[0].last_refusal = {{100_MiB + missing, 100_MiB, {1, "forward"}}, "libcudart.so.12", true, 0};
  RunFacts facts;
  facts.exit_code = 1;
  facts.processes = {process};
  return facts;
}

TEST(Failure, That_the_lower_bound_of_the_outside_memory_would_have_spared_says_so) {
  const auto verdict = judge(caveats_card(), failed_missing(40_MiB));
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  EXPECT_EQ(names(verdict), Names{"outside_memory"});
  EXPECT_NE(verdict.caveats[0].text.find("short by 40.0 MiB"), std::string::npos) << verdict.caveats[0].text;
  EXPECT_EQ(names(judge(caveats_card(), failed_missing(42_MiB))), Names{});
}

TEST(Failure, That_rests_on_assumed_sizes_says_so) {
  auto facts = failed_missing(1_GiB);
  facts.processes[0].assumptions = {{"masked_select", "model.py:7", 1, 20, 20}};
  const auto verdict = judge(caveats_card(), facts);
  EXPECT_EQ(names(verdict), Names{"assumed_sizes"});
  EXPECT_NE(verdict.caveats[0].text.find("masked_select at model.py:7"), std::string::npos);
}

Verdict with_order(AddressOrder order, Answer answer, Bytes peak) {
  Verdict verdict;
  verdict.answer = answer;
  verdict.device_used = true;
  verdict.device_peak = peak;
  verdict.device_peak_low = peak - 10_MiB;
  verdict.device_peak_high = peak + 10_MiB;
  verdict.reason = answer == Answer::does_not_fit ? "PyTorch ran out of device memory" : "";
  if (answer == Answer::tight) verdict.caveats = {{"outside_memory", "it is close"}};
  verdict.orders = {{order, answer, peak, peak}};
  return verdict;
}

TEST(Combine, Orders_that_agree_keep_the_answer_and_widen_the_interval) {
  const auto verdict = combine({with_order(AddressOrder::chunk, Answer::fits, 5_GiB),
                                with_order(AddressOrder::ascending, Answer::fits, 6_GiB),
                                with_order(AddressOrder::descending, Answer::fits, 4_GiB)});
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_EQ(verdict.device_peak, 5_GiB);
  EXPECT_EQ(verdict.device_peak_low, 4_GiB - 10_MiB);
  EXPECT_EQ(verdict.device_peak_high, 6_GiB + 10_MiB);
  EXPECT_EQ(verdict.orders.size(), 3u);
}

TEST(Combine, An_answer_that_depends_on_the_order_is_tight_and_shows_numbers_of_a_run_that_fitted) {
  const auto verdict = combine({with_order(AddressOrder::chunk, Answer::does_not_fit, 8_GiB),
                                with_order(AddressOrder::ascending, Answer::fits, 7_GiB)});
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_EQ(verdict.device_peak, 7_GiB);
  EXPECT_EQ(names(verdict), Names{"address_order"});
  EXPECT_NE(verdict.reason.find("fits with ascending but not with chunk"), std::string::npos) << verdict.reason;
}

TEST(Combine, One_tight_order_makes_all_tight) {
  const auto verdict = combine({with_order(AddressOrder::chunk, Answer::fits, 5_GiB),
                                with_order(AddressOrder::ascending, Answer::tight, 6_GiB)});
  EXPECT_EQ(verdict.answer, Answer::tight);
  EXPECT_EQ(names(verdict), Names{"outside_memory"});
}

TEST(Combine, An_order_without_an_answer_leaves_the_whole_without_one) {
  const auto verdict = combine({with_order(AddressOrder::chunk, Answer::fits, 5_GiB),
                                with_order(AddressOrder::ascending, Answer::cannot_tell, 1_GiB)});
  EXPECT_EQ(verdict.answer, Answer::cannot_tell);
}

TEST(Combine, Failing_with_every_order_does_not_fit) {
  const auto verdict = combine({with_order(AddressOrder::chunk, Answer::does_not_fit, 5_GiB),
                                with_order(AddressOrder::ascending, Answer::does_not_fit, 6_GiB)});
  EXPECT_EQ(verdict.answer, Answer::does_not_fit);
  EXPECT_EQ(verdict.reason, "PyTorch ran out of device memory");
}

RunFacts estimated(Bytes headroom, EstimateFacts estimate = {}) {
  auto facts = stopped(trainer_leaving(headroom));
  facts.estimate = std::move(estimate);
  return facts;
}

TEST(Caveats, Other_orders_of_addresses_are_advised_only_where_they_can_be_tried) {
  auto facts = stopped(trainer_leaving(100_MiB));
  facts.address_order_assumed = true;
  EXPECT_NE(judge(caveats_card(), facts).hint.find("--address-orders"), std::string::npos);
  facts.estimate = EstimateFacts{};
  EXPECT_EQ(judge(caveats_card(), facts).hint, "");
}

TEST(Caveats, An_estimate_that_leaves_less_than_its_error_is_tight) {
  expect_tight(estimated(300_MiB), {"estimate_error"});
  expect_plain_fit(estimated(1_GiB));
  expect_plain_fit(stopped(trainer_leaving(300_MiB)));
}

TEST(Caveats, What_a_trace_does_not_tell_counts_where_little_is_left) {
  const EstimateFacts facts{.gaps = {{"parameters", "frozen ones are not counted"}}};
  expect_tight(estimated(300_MiB, facts), {"estimate_error", "trace_gaps"});
  const auto verdict = judge(caveats_card(), estimated(4_GiB, facts));
  EXPECT_EQ(verdict.answer, Answer::fits);
  EXPECT_TRUE(verdict.estimated);
  EXPECT_EQ(verdict.gaps.size(), 1u);
}

TEST(Caveats, Of_a_trace_that_is_not_whole_nothing_can_be_told) {
  const auto verdict = judge(caveats_card(), estimated(4_GiB, {.damage = "it ends in the middle"}));
  EXPECT_EQ(verdict.answer, Answer::cannot_tell);
  EXPECT_NE(verdict.reason.find("it ends in the middle"), std::string::npos);
}

TEST(Caveats, A_batch_without_elements_is_one_however_much_room_is_left) {
  auto facts = stopped(trainer_leaving(7_GiB));
  facts.processes[0].notes["batch.empty"] = "1";
  expect_tight(facts, {"no_data"});
}

TEST(Caveats, Assumptions_are_in_the_order_of_what_they_can_change) {
  auto facts = stopped(trainer_leaving(7_GiB));
  facts.processes[0].assumptions = {{.what = "places of the largest values", .where = "metric.py:3"},
                                    {.what = "a comparison of unknown numbers", .where = "train.py:8"},
                                    {.what = "distinct elements", .where = "train.py:9", .assumed = 4, .of = 4}};
  const auto verdict = judge(caveats_card(), facts);
  EXPECT_EQ(verdict.assumptions.at(0).where, "train.py:9");
  EXPECT_EQ(verdict.assumptions.at(1).where, "train.py:8");
}

}  // namespace
}  // namespace dryfit::verdict
