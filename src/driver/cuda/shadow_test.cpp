// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/shadow.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace dryfit::driver {
namespace {

constexpr Address kPlace = 0x6000'0000'0000;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string read(const Shadow& shadow, Address address, std::size_t size) {
  std::string text(size, '?');
  shadow.read(address, std::as_writable_bytes(std::span(text)));
  return text;
}

const std::string kZeros4(4, '\0');

TEST(Shadow, A_small_upload_reads_back_truthfully) {
  Shadow shadow;
  shadow.write(kPlace, bytes("lengths"));
  EXPECT_EQ(read(shadow, kPlace, 7), "lengths");
  EXPECT_EQ(read(shadow, kPlace + 3, 4), "gths");
}

TEST(Shadow, An_unknown_place_reads_as_zeros) { EXPECT_EQ(read(Shadow(), kPlace, 4), kZeros4); }

TEST(Shadow, A_partly_known_range_reads_as_zeros) {
  Shadow shadow;
  shadow.write(kPlace, bytes("ab"));
  EXPECT_EQ(read(shadow, kPlace, 4), kZeros4);
  shadow.write(kPlace + 2, bytes("cd"));
  EXPECT_EQ(read(shadow, kPlace, 4), "abcd") << "two uploads side by side are all known";
}

TEST(Shadow, A_kernel_that_gets_the_address_makes_it_unknown) {
  Shadow shadow;
  shadow.write(kPlace, bytes("abcd"));
  shadow.write(kPlace + 4096, bytes("kept"));
  shadow.touch(kPlace + 2);
  EXPECT_EQ(read(shadow, kPlace, 4), kZeros4);
  EXPECT_EQ(read(shadow, kPlace + 4096, 4), "kept");
}

TEST(Shadow, A_copy_on_the_device_carries_what_is_known_and_forgets_the_rest) {
  Shadow shadow;
  shadow.write(kPlace, bytes("abcd"));
  shadow.copy(kPlace + 1024, kPlace, 4);
  EXPECT_EQ(read(shadow, kPlace + 1024, 4), "abcd");
  shadow.copy(kPlace + 1024, kPlace + 2048, 4);
  EXPECT_EQ(read(shadow, kPlace + 1024, 4), kZeros4);
}

TEST(Shadow, A_large_upload_is_not_remembered_and_covers_what_was_there) {
  Shadow shadow;
  shadow.write(kPlace, bytes("abcd"));
  const std::string large(Shadow::kLargest + 1, 'x');
  shadow.write(kPlace, bytes(large));
  EXPECT_EQ(read(shadow, kPlace, 4), kZeros4);
  EXPECT_TRUE(shadow.empty());
}

TEST(Shadow, A_fill_is_remembered) {
  Shadow shadow;
  shadow.fill(kPlace, std::byte{7}, 4);
  EXPECT_EQ(read(shadow, kPlace, 4), std::string(4, '\7'));
}

}  // namespace
}  // namespace dryfit::driver
