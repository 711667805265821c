// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the trace, and of the program around the writer, when things go wrong.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <chrono>
#include <random>
#include <thread>

#include "trace/test_support.h"

namespace dryfit::trace {
namespace {

using namespace testing;

constexpr int kNotPermitted = 77;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Steps 1, 2, 3, … with a name and a counter now and then.
void write_steps(Writer& writer, std::uint64_t count) {
  for (std::uint64_t i = 1; i <= count; ++i) {
    if (i % 16 == 0) writer.counter(writer.name("counter " + std::to_string(i))).add(i);
    writer.step({i});
  }
}

bool limit(__rlimit_resource resource, rlim_t value) {
  rlimit limits{};
  if (getrlimit(resource, &limits) != 0) return false;
  limits.rlim_cur = value;
  return setrlimit(resource, &limits) == 0;
}

std::size_t address_space_in_use() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

/// How many steps the file holds, after checking that none is missing before the last.
std::uint64_t contiguous_steps(Reader& reader) {
  std::uint64_t steps = 0;
  while (const auto event = reader.next()) {
    const auto* step = std::get_if<Step>(&event->payload);
    if (step == nullptr) continue;
    EXPECT_EQ(step->completed, ++steps);
  }
  EXPECT_EQ(reader.damage(), "");
  return steps;
}

void expect_a_gapless_beginning(const std::string& path, Incomplete reason) {
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_GT(contiguous_steps(*reader), 1000U);
  EXPECT_EQ(reader->capture().incomplete, reason);
  EXPECT_GT(reader->capture().dropped, 1000U);
  EXPECT_TRUE(reader->capture().closed_cleanly);
}

/// Gives up after minutes.
void wait_for_size(const std::string& path, std::uintmax_t size) {
  std::error_code none;
  for (int i = 0; i < 300'000; ++i) {
    const std::uintmax_t now = std::filesystem::file_size(path, none);
    if (!none && now >= size) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(WriterSurvival, A_process_killed_at_any_moment_leaves_a_readable_trace) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  std::uint64_t longest = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const std::string path = folder.file(std::to_string(kill_number));
    const pid_t child = fork();
    if (child == 0) {
      Writer writer;
      if (writer.open(path.c_str())) _exit(1);
      write_steps(writer, 3'000'000);
      for (;;) pause();
    }
    if (kill_number % 2 == 0) wait_for_size(path, 100'000);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));

    auto reader = Reader::open(path);
    if (!reader) {
      EXPECT_NE(kill_number % 2, 0) << reader.error().what;
      continue;
    }
    longest = std::max(longest, contiguous_steps(*reader));
    EXPECT_FALSE(reader->capture().closed_cleanly);
    EXPECT_EQ(reader->capture().pid, child);
  }
  EXPECT_GT(longest, 1000U);
}

TEST(WriterSurvival, A_limit_on_the_file_size_ends_the_trace_without_a_signal) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t");
  const int status = run_in_child([&] {
    if (!limit(RLIMIT_FSIZE, 300'000)) return 1;
    Writer writer;
    if (writer.open(path.c_str())) return 2;
    write_steps(writer, 100'000);
    writer.close();
    return 0;
  });
  ASSERT_EQ(status, 0) << "the writing process ended badly";
  EXPECT_LE(std::filesystem::file_size(path), 300'000U);
  expect_a_gapless_beginning(path, Incomplete::file_size_limit);
}

TEST(WriterSurvival, A_limit_too_small_for_a_header_is_an_error_of_open) {
  const TemporaryFolder folder;
  const int status = run_in_child([&] {
    if (!limit(RLIMIT_FSIZE, 100)) return 1;
    Writer writer;
    if (writer.open(folder.file("t").c_str()) != std::errc::file_too_large) return 2;
    write_steps(writer, 100);
    return 0;
  });
  EXPECT_EQ(status, 0);
  const auto reader = Reader::open(folder.file("t"));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().what.find("is empty"), std::string::npos) << reader.error().what;
}

/// A file system of 256 KiB at `folder`, seen by the calling process alone.
bool mount_tiny_disk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("dryfit", folder.c_str(), "tmpfs", 0, "size=256k") == 0;
}

TEST(WriterSurvival, A_full_disk_ends_the_trace_without_a_signal) {
  const TemporaryFolder folder;
  const std::string disk = folder.file("disk"), copy = folder.file("copy");
  std::filesystem::create_directory(disk);
  const int status = run_in_child([&] {
    if (!mount_tiny_disk(disk)) return kNotPermitted;
    Writer writer;
    if (writer.open((disk + "/t").c_str())) return 2;
    write_steps(writer, 100'000);
    writer.close();
    write_bytes(copy, read_bytes(disk + "/t"));
    return 0;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotPermitted) GTEST_SKIP() << "mounting is not permitted here";
  ASSERT_EQ(status, 0) << "the writing process ended badly";
  expect_a_gapless_beginning(copy, Incomplete::disk_full);
}

TEST(WriterSurvival, A_limit_on_the_address_space_leaves_room_for_the_program) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space themselves";
  if (address_space_in_use() > std::size_t{32} << 20) GTEST_SKIP() << "earlier tests have used too much of it";
  const TemporaryFolder folder;
  const std::string path = folder.file("t");
  const int status = run_in_child([&] {
    if (!limit(RLIMIT_AS, rlim_t{128} << 20)) return 1;
    Writer writer;
    if (writer.open(path.c_str())) return 2;
    const std::vector<char> of_the_program(std::size_t{64} << 20);
    write_steps(writer, 400'000);
    writer.close();
    return 0;
  });
  ASSERT_EQ(status, 0) << "the writing process ended badly";
  expect_a_gapless_beginning(path, Incomplete::address_space);
}

TEST(WriterSurvival, A_file_deleted_by_somebody_ends_the_trace_quietly) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  std::filesystem::remove(folder.file("t"));
  write_bytes(folder.file("t"), "precious");
  write_steps(writer, 100'000);
  writer.close();
  EXPECT_EQ(read_bytes(folder.file("t")), "precious");
}

TEST(WriterSurvival, A_program_that_closes_all_descriptors_does_not_disturb_the_trace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t"), other = folder.file("other");
  const int status = run_in_child([&] {
    Writer writer;
    if (writer.open(path.c_str())) return 1;
    for (int fd = 3; fd < 64; ++fd) ::close(fd);
    std::ofstream(other) << "the program's own";
    write_steps(writer, 100'000);
    writer.close();
    return 0;
  });
  ASSERT_EQ(status, 0);
  EXPECT_EQ(read_bytes(other), "the program's own");
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(contiguous_steps(*reader), 100'000U);
}

TEST(WriterSurvival, A_forked_child_does_not_touch_its_parents_file_and_may_have_its_own) {
  const TemporaryFolder folder;
  const std::string parents = folder.file("parent"), childs = folder.file("child");
  Writer writer;
  ASSERT_FALSE(writer.open(parents.c_str()));
  const NameId shared_name = writer.name("shared");
  const CounterHandle counter = writer.counter(shared_name);
  writer.step({1});
  writer.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    writer.after_fork_in_child();
    counter.add(1000);
    writer.step({666});
    writer.name("of the child");
    if (writer.is_open() || writer.open(childs.c_str())) _exit(1);
    writer.counter(shared_name).add(7);
    write_steps(writer, 50'000);
    writer.close();
    _exit(0);
  }
  writer.after_fork_in_parent();
  counter.add();
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  writer.step({2});
  writer.close();

  auto reader = Reader::open(parents);
  ASSERT_TRUE(reader);
  const auto events = rest_of(*reader);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(std::get<Counter>(events[1].payload).count, 1U);
  EXPECT_EQ(std::get<Step>(events[3].payload).completed, 2U);
  EXPECT_EQ(reader->damage(), "");

  auto childs_reader = Reader::open(childs);
  ASSERT_TRUE(childs_reader);
  EXPECT_EQ(childs_reader->capture().pid, child);
  EXPECT_EQ(contiguous_steps(*childs_reader), 50'000U);
  EXPECT_EQ(childs_reader->text(shared_name), "shared");
}

TEST(WriterSurvival, A_child_forked_while_other_threads_write_finds_the_writer_usable) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("parent").c_str()));
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    for (std::uint64_t i = 1; !stop; ++i) writer.name(std::to_string(i)), writer.step({i});
  });
  for (int i = 0; i < 10; ++i) {
    const std::string path = folder.file(std::to_string(i));
    writer.before_fork();
    const pid_t child = fork();
    if (child == 0) {
      writer.after_fork_in_child();
      if (writer.open(path.c_str())) _exit(1);
      writer.step({1});
      writer.close();
      _exit(0);
    }
    writer.after_fork_in_parent();
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    auto reader = Reader::open(path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(contiguous_steps(*reader), 1U);
  }
  stop = true;
  busy.join();
  writer.close();
}

}  // namespace
}  // namespace dryfit::trace
