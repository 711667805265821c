// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/free_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dryfit::launch {
namespace {

/// Listens on a port until it goes.
class PortListener {
 public:
  explicit PortListener(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    listens_ = ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(socket_, 1) == 0;
  }
  ~PortListener() { ::close(socket_); }
  PortListener(const PortListener&) = delete;
  PortListener& operator=(const PortListener&) = delete;

  bool listens() const { return listens_; }

 private:
  int socket_;
  bool listens_ = false;
};

TEST(FreePort, Two_programs_can_listen_side_by_side) {
  const auto first = free_port();
  ASSERT_TRUE(first);
  const PortListener one(*first);
  ASSERT_TRUE(one.listens());
  const auto second = free_port();
  ASSERT_TRUE(second);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(PortListener(*second).listens());
}

}  // namespace
}  // namespace dryfit::launch
