// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/socket_name.h"

#include <gtest/gtest.h>

namespace dryfit::launch {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 ffff 100\n"
    "   1: 0100007F:A2C4 0100007F:733C 01 00000000:00000000 00:00000000 00000000     0        0 102 1 ffff 20\n"
    "   2: 0000000000000000FFFF00000100007F:A2C6 0000000000000000FFFF00000100007F:733C 01 0:0 00:0 0 0 0 103 1\n"
    "   3: short\n";

TEST(SocketName, A_connection_is_named_by_its_other_end) {
  EXPECT_EQ(socket_in_table(kTable, "102"), "a socket connected to 127.0.0.1:29500");
  EXPECT_EQ(socket_in_table(kTable, "103"), "a socket connected to 127.0.0.1:29500");
}

TEST(SocketName, A_listener_is_named_by_its_port) {
  EXPECT_EQ(socket_in_table(kTable, "101"), "a socket that listens on port 29500");
}

TEST(SocketName, Others_are_just_sockets) {
  EXPECT_EQ(socket_in_table(kTable, "999"), "");
  EXPECT_EQ(socket_name("socket:[18446744073709551615]"), "a socket");
  EXPECT_EQ(socket_name("socket"), "a socket");
}

}  // namespace
}  // namespace dryfit::launch
