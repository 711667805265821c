// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "base/crc64.h"

#include <gtest/gtest.h>

#include <string>

namespace dryfit {
namespace {

TEST(Crc64, The_checksum_is_the_known_one) { EXPECT_EQ(crc64("123456789"), 0x995DC9BBDF1939FAu); }

TEST(Crc64, Pieces_of_any_size_give_the_checksum_of_the_whole) {
  const std::string text = "a text that is longer than two words of the processor";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(crc64(text.substr(i), crc64(text.substr(0, i))), crc64(text)) << i;
  }
}

}  // namespace
}  // namespace dryfit
