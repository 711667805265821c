// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/waiting_call.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/unique_fd.h"

namespace dryfit::launch {
namespace {

std::string line_of(long number, const std::string& arguments) {
  return std::to_string(number) + " " + arguments + " 0x7ffc0de 0x7f00de";
}

TEST(WaitingCall, A_read_waits_for_its_descriptor_without_a_bound) {
  const auto call = parse_waiting_call(line_of(SYS_read, "0x5 0x7f10 0x400 0x0 0x0 0x0"));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->name, "read");
  EXPECT_EQ(call->fd, 5);
  EXPECT_FALSE(call->is_bounded);
}

TEST(WaitingCall, A_futex_is_bounded_by_a_time_that_it_points_to) {
  EXPECT_FALSE(parse_waiting_call(line_of(SYS_futex, "0x7f10 0x189 0x0 0x0 0x0 0xffffffff"))->is_bounded);
  EXPECT_TRUE(parse_waiting_call(line_of(SYS_futex, "0x7f10 0x189 0x0 0x7ffd20 0x0 0xffffffff"))->is_bounded);
}

TEST(WaitingCall, A_poll_is_bounded_unless_its_time_is_negative) {
  EXPECT_TRUE(parse_waiting_call(line_of(SYS_poll, "0x7f10 0x1 0x1388 0x0 0x0 0x0"))->is_bounded);
  EXPECT_FALSE(parse_waiting_call(line_of(SYS_poll, "0x7f10 0x1 0xffffffff 0x0 0x0 0x0"))->is_bounded);
}

TEST(WaitingCall, A_sleep_is_bounded_and_a_wait_for_a_child_is_told_apart) {
  EXPECT_TRUE(parse_waiting_call(line_of(SYS_clock_nanosleep, "0x0 0x0 0x7ffd 0x0 0x0 0x0"))->is_bounded);
  EXPECT_TRUE(parse_waiting_call(line_of(SYS_wait4, "0xffffffff 0x7ffd 0x0 0x0 0x0 0x0"))->is_for_child);
}

TEST(WaitingCall, A_thread_that_runs_or_is_in_another_call_waits_for_nothing) {
  EXPECT_FALSE(parse_waiting_call("running"));
  EXPECT_FALSE(parse_waiting_call("-1 0x7ffc0de 0x7f00de"));
  EXPECT_FALSE(parse_waiting_call(line_of(SYS_getpid, "0x0 0x0 0x0 0x0 0x0 0x0")));
  EXPECT_FALSE(parse_waiting_call(""));
  EXPECT_FALSE(parse_waiting_call("0 0x5 what"));
}

TEST(WaitingCall, A_thread_of_ours_that_reads_a_pipe_is_found_there) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_t thread = 0;
  std::jthread reader([&] {
    __atomic_store_n(&thread, static_cast<pid_t>(::syscall(SYS_gettid)), __ATOMIC_RELEASE);
    char byte;
    [[maybe_unused]] const auto size = ::read(reading.get(), &byte, 1);
  });
  std::optional<WaitingCall> call;
  while (!call) {
    const auto known = __atomic_load_n(&thread, __ATOMIC_ACQUIRE);
    if (known != 0) call = waiting_call(::getpid(), known);
    if (call && call->name != "read") call.reset();
  }
  EXPECT_EQ(describe(*call, ::getpid()), "a pipe (read)");
  writing = UniqueFd();
}

}  // namespace
}  // namespace dryfit::launch
