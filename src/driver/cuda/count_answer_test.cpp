// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/count_answer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace dryfit::driver {
namespace {

template <typename Number>
bool ask(Number& number) {
  return answer_count(std::as_writable_bytes(std::span(&number, 1)));
}

class Count_answer : public testing::Test {
 protected:
  ~Count_answer() override { answer_counts_with(-1); }
};

TEST_F(Count_answer, Without_an_answer_nothing_is_written) {
  std::int32_t number = 5;
  EXPECT_FALSE(ask(number));
  EXPECT_EQ(number, 5);
}

TEST_F(Count_answer, Numbers_of_both_widths_are_answered_until_it_ends) {
  answer_counts_with(7);
  std::int32_t narrow = 0;
  std::int64_t wide = 0;
  EXPECT_TRUE(ask(narrow) && ask(wide));
  EXPECT_EQ(narrow, 7);
  EXPECT_EQ(wide, 7);
  answer_counts_with(-1);
  EXPECT_FALSE(ask(wide));
}

TEST_F(Count_answer, What_is_not_a_number_is_left_alone) {
  answer_counts_with(7);
  std::int32_t numbers[3] = {};
  EXPECT_FALSE(answer_count(std::as_writable_bytes(std::span(numbers))));
}

TEST_F(Count_answer, Another_thread_is_not_answered) {
  answer_counts_with(7);
  bool answered = true;
  std::thread([&] {
    std::int32_t number;
    answered = ask(number);
  }).join();
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace dryfit::driver
