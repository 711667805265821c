// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/pickle.h"

#include <gtest/gtest.h>

#include <limits>

#include "snapshot/pickler.h"
#include "snapshot/test_support.h"

namespace dryfit::snapshot {
namespace {

using testing::pickle_of;
using namespace std::string_view_literals;

std::string error_of(std::string_view body) {
  const auto bytes = pickle_of(body);
  const auto pickle = Pickle::read(bytes);
  return pickle ? "read" : pickle.error().what;
}

std::int64_t integer_of(std::string_view body) {
  const auto bytes = pickle_of(body);
  const auto pickle = Pickle::read(bytes);
  EXPECT_TRUE(pickle && pickle->is(pickle->root(), Kind::integer));
  return pickle->integer(pickle->root());
}

std::vector<Value> elements(const Pickle& pickle, Value container) {
  std::vector<Value> all;
  pickle.each(container, [&](Value value) { all.push_back(value); });
  return all;
}

TEST(Pickle, Integers_of_every_width_keep_their_value) {
  EXPECT_EQ(integer_of("K\xff"), 255);
  EXPECT_EQ(integer_of("M\x01\x02"), 0x0201);
  EXPECT_EQ(integer_of("J\xff\xff\xff\xff"), -1);
  EXPECT_EQ(integer_of("\x8a\x00"sv), 0);
  EXPECT_EQ(integer_of("\x8a\x06\x00\x00\x00\xfe\xff\x67"sv), 0x67fffe000000);
  EXPECT_EQ(integer_of("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"sv), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_of("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"sv), std::numeric_limits<std::int64_t>::min());
}

TEST(Pickle, An_integer_of_more_than_64_bits_is_clamped) {
  EXPECT_EQ(integer_of("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"sv), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_of("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x80"sv), std::numeric_limits<std::int64_t>::min());
}

TEST(Pickle, What_the_pickler_writes_is_read_back) {
  Pickler pickler;
  pickler.begin_dict();
  pickler.text("numbers");
  pickler.begin_list();
  for (const std::int64_t number : {0ll, 255ll, 256ll, -1ll, 1ll << 40, -(1ll << 62)}) pickler.integer(number);
  pickler.real(0.25);
  pickler.boolean(true);
  pickler.end_list();
  pickler.text("pair");
  pickler.pair(3, -4);
  pickler.text("pair");
  pickler.text(std::string(300, 'x'));
  pickler.end_dict();
  const auto bytes = std::move(pickler).finish();
  const auto pickle = Pickle::read(bytes);
  ASSERT_TRUE(pickle) << pickle.error().what;

  std::vector<std::string> keys;
  std::vector<Value> values;
  pickle->each_entry(pickle->root(), [&](Value key, Value value) {
    keys.emplace_back(pickle->text(key));
    values.push_back(value);
  });
  EXPECT_EQ(keys, (std::vector<std::string>{"numbers", "pair", "pair"}));
  const auto numbers = elements(*pickle, values[0]);
  ASSERT_EQ(numbers.size(), 8u);
  EXPECT_EQ(pickle->integer(numbers[4]), 1ll << 40);
  EXPECT_EQ(pickle->integer(numbers[5]), -(1ll << 62));
  EXPECT_EQ(pickle->real(numbers[6]), 0.25);
  EXPECT_TRUE(pickle->boolean(numbers[7]));
  EXPECT_EQ(pickle->integer(elements(*pickle, values[1])[1]), -4);
  EXPECT_EQ(pickle->text(values[2]), std::string(300, 'x'));
}

TEST(Pickle, A_list_written_in_several_portions_is_one_list) {
  const auto bytes = pickle_of(
      "](K\x01K\x02"
      "e"
      "(]K\x03K\x04"
      "eK\x05"
      "a");
  const auto pickle = Pickle::read(bytes);
  ASSERT_TRUE(pickle) << pickle.error().what;
  EXPECT_EQ(pickle->size(pickle->root()), 6u);
  EXPECT_EQ(pickle->integer(elements(*pickle, pickle->root()).back()), 5);
}

TEST(Pickle, A_memo_reference_is_the_same_object) {
  const auto bytes = pickle_of(
      "](]\x94h\x00"
      "e"sv);
  const auto pickle = Pickle::read(bytes);
  ASSERT_TRUE(pickle) << pickle.error().what;
  const auto both = elements(*pickle, pickle->root());
  EXPECT_EQ(both[0], both[1]);
}

TEST(Pickle, Opcodes_that_make_objects_are_refused_with_their_offset_and_name) {
  EXPECT_EQ(error_of("cposix\nsystem\n").substr(0, 15), "byte 2: GLOBAL ");
  EXPECT_EQ(error_of("NN\x93").substr(0, 21), "byte 4: STACK_GLOBAL ");
  EXPECT_EQ(error_of("N)R").substr(0, 15), "byte 4: REDUCE ");
  EXPECT_EQ(error_of("N}b").substr(0, 14), "byte 4: BUILD ");
  EXPECT_EQ(error_of("C\x01x").substr(0, 23), "byte 2: SHORT_BINBYTES ");
  EXPECT_EQ(error_of("\xff").substr(0, 20), "byte 2: opcode 0xff ");
}

TEST(Pickle, A_container_cannot_contain_itself) {
  EXPECT_NE(error_of("]\x94h\x00"
                     "a"sv)
                .find("used elsewhere"),
            std::string::npos);
  EXPECT_NE(error_of("}\x94K\x01h\x00s"sv).find("used elsewhere"), std::string::npos);
}

TEST(Pickle, A_container_cannot_grow_after_it_was_referred_to) {
  EXPECT_NE(error_of("]\x94]h\x00"
                     "aK\x01"
                     "a"sv),
            "read");
}

TEST(Pickle, Nesting_is_bounded) {
  EXPECT_NE(error_of(std::string(200, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of("N" + std::string(200, '\x85')).find("nested too deeply"), std::string::npos);
}

TEST(Pickle, A_small_file_cannot_take_much_memory) {
  EXPECT_NE(error_of(std::string(1 << 20, ']')).find("more memory"), std::string::npos);
  EXPECT_NE(error_of("Nr\xff\xff\xff\x7f"), "read");
  EXPECT_NE(error_of("X\xff\xff\xff\xff"
                     "abc")
                .find("beyond the end"),
            std::string::npos);
  EXPECT_NE(error_of("\x8b\xff\xff\xff\x7f").find("beyond the end"), std::string::npos);
}

TEST(Pickle, A_stack_that_is_too_small_is_refused) {
  for (const auto* body :
       {"a", "s", "e", "u", "t", "\x86", "(\x85", "\x94", "]u", "](K\x01u", "(", "NN", "}(K\x01u", "h\x05"}) {
    EXPECT_NE(error_of(body), "read") << body;
  }
}

TEST(Pickle, A_file_that_was_cut_off_says_so_at_every_length) {
  Pickler pickler;
  pickler.begin_dict();
  pickler.text("x");
  pickler.pair(1, 1ll << 40);
  pickler.text("y");
  pickler.real(1);
  pickler.end_dict();
  const auto whole = std::move(pickler).finish();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Pickle::read(whole.substr(0, size)));
}

}  // namespace
}  // namespace dryfit::snapshot
