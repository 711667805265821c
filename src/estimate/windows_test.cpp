// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/windows.h"

#include <gtest/gtest.h>

#include "estimate/testing.h"

namespace dryfit::estimate {
namespace {

using testing::calls_of;
using testing::recorded;
using testing::TraceText;

constexpr int kStep = 100;  ///< microseconds

/// Steps of 100 µs each: an activation of 1000 bytes, a gradient of 2000 that lives into the next step, an optimizer.
TraceText training(int steps) {
  TraceText trace;
  for (int step = 0; step < steps; ++step) {
    const int at = step * kStep;
    const auto number = R"("Sequence number": )" + std::to_string(step);
    trace.op("aten::relu", at + 10, 10, number)
        .memory(at + 12, 1, 1000)
        .op("autograd::engine::evaluate_function: ReluBackward0", at + 30, 10, number)
        .memory(at + 32, 100 + static_cast<std::uint64_t>(step), 2000)
        .memory(at + 38, 1, -1000)
        .annotation("Optimizer.step#SGD.step", at + 50, 10);
    if (step > 0) trace.memory(at + 25, 99 + static_cast<std::uint64_t>(step), -2000);
  }
  return trace;
}

std::vector<std::size_t> spans_of_windows(Recording recording, std::size_t large = Windows::kLarge) {
  Windows windows(recording, large);
  std::vector<std::size_t> sizes;
  for (Window window; windows.next(window);) sizes.push_back(window.spans.size());
  return sizes;
}

TEST(Windows, Each_step_of_an_optimizer_ends_one) {
  EXPECT_EQ(spans_of_windows(recorded(training(3))), (std::vector<std::size_t>{3, 3, 3}));
}

TEST(Windows, Progress_is_the_part_of_the_records_that_was_taken) {
  auto recording = recorded(training(4));
  Windows windows(recording);
  std::vector<double> parts{windows.progress()};
  for (Window window; windows.next(window);) parts.push_back(windows.progress());
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts.front(), 0);
  EXPECT_EQ(parts[1], 6.0 / 27);  // the first step frees no gradient
  EXPECT_EQ(parts.back(), 1);
}

TEST(Windows, What_is_around_the_cut_is_in_both) {
  EXPECT_EQ(spans_of_windows(recorded(training(2).annotation("epoch", 1, 1000))), (std::vector<std::size_t>{4, 4}));
}

TEST(Windows, An_operator_is_not_cut) {
  EXPECT_EQ(spans_of_windows(recorded(training(3).op("my::training", 1, 150))), (std::vector<std::size_t>{7, 3}));
}

TEST(Windows, The_first_goes_on_until_training_was_seen) {
  auto trace = TraceText().annotation("Optimizer.step#SGD.step", 1, 2).op("aten::zeros", 5, 2).memory(6, 7, 8);
  EXPECT_EQ(spans_of_windows(recorded(trace)), (std::vector<std::size_t>{2}));
}

TEST(Windows, Without_an_optimizer_one_ends_when_it_is_large) {
  auto trace = TraceText().op("dryfit::backward", 1, 2).memory(2, 7, 8);
  for (int i = 0; i < 10; ++i) trace.op("aten::add", 10 + 10 * i, 5);
  EXPECT_EQ(spans_of_windows(recorded(trace), 4), (std::vector<std::size_t>{4, 4, 3}));
}

TEST(Windows, More_annotations_around_than_a_window_is_large_do_not_stop_it) {
  auto trace = TraceText();
  for (int i = 0; i < 6; ++i) trace.annotation("epoch " + std::to_string(i), i, 1000);
  trace.op("dryfit::backward", 10, 2).memory(11, 7, 8);
  for (int i = 0; i < 8; ++i) trace.op("aten::add", 20 + 10 * i, 5);
  EXPECT_EQ(spans_of_windows(recorded(trace), 4), (std::vector<std::size_t>{7, 10, 10}));
}

TEST(Windows, Blocks_live_on_from_one_to_the_next) {
  EXPECT_EQ(calls_of(training(3)), "+1000 +2000 -1000 +1000 -2000 +2000 -1000 +1000 -2000 +2000 -1000");
}

TEST(Windows, What_is_not_in_the_order_of_time_is_put_in_order) {
  const auto expected = calls_of(training(2));
  EXPECT_EQ(calls_of(training(2).memory(1, 5, 64).op("aten::first", 0, 3).memory(2, 5, -64)), expected);
}

TEST(Windows, Steps_go_on_counting) {
  auto recording = recorded(training(3));
  Analyzer analyzer(recording);
  std::uint32_t step = 0;
  while (const auto window = analyzer.next()) EXPECT_EQ(window->structure.stages.front().step, ++step);
  EXPECT_EQ(step, 3u);
  EXPECT_EQ(analyzer.past().steps, 3u);
}

TEST(Spool, More_than_fits_into_memory_comes_back_in_order) {
  Spool<std::uint64_t> spool;
  const auto count = 2 * Spool<std::uint64_t>::kInMemory + 3;
  for (std::uint64_t i = 0; i < count; ++i) spool.push_back(i);
  EXPECT_EQ(spool.size(), count);
  Spool<std::uint64_t>::Reader reader(spool);
  std::uint64_t expected = 0;
  for (; const auto* number = reader.peek(); reader.pop()) ASSERT_EQ(*number, expected++);
  EXPECT_EQ(expected, count);
  EXPECT_FALSE(reader.has_failed());
  const auto all = spool.take();
  ASSERT_EQ(all.size(), count);
  EXPECT_EQ(all.back(), count - 1);
  EXPECT_EQ(spool.size(), 0u);
}

}  // namespace
}  // namespace dryfit::estimate
