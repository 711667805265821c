// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "trace/test_support.h"

namespace dryfit::trace {
namespace {

using namespace testing;

Reader open_reader(const std::string& path) {
  auto reader = Reader::open(path);
  EXPECT_TRUE(reader) << reader.error().what;
  return std::move(reader).value();
}

TEST(Writer, Every_kind_of_event_reads_back_as_it_was_written) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  write_sample(writer);
  writer.close();

  Reader reader = open_reader(folder.file("t"));
  std::string text;
  std::size_t kinds = 0;
  for (const Event& event : rest_of(reader)) {
    kinds |= std::size_t{1} << event.payload.index();
    if (!std::holds_alternative<Name>(event.payload)) text += to_text(event, reader).substr(12) + '\n';
  }
  EXPECT_EQ(kinds, (std::size_t{1} << std::variant_size_v<Payload>)-1);
  EXPECT_EQ(text,
            R"(device ordinal=0 total=12636192768 card="rtx-3060-12gb"
allocate device=0 purpose=context address=0x1000 requested=0 charged=110100480 library=""
module_loaded id=7 library="libtorch_cuda.so" image=123456 architecture=86
kernel_loaded id=3 module=7 name="gemm<float, 128>" code=4096 launches=42
counter name="copy.host_to_device" count=2 bytes=4096
phase name="backward"
allocate device=0 purpose=allocation address=0x7f0012000000 requested=2000000 charged=2097152 library="libtorch_cuda.so"
release device=0 purpose=allocation address=0x7f0012000000 charged=2097152
step completed=1
allocate_failed device=0 requested=99999999999 used=110100480 library="libtorch_cuda.so"
out_of_memory device=0 requested=99999999000 device_free=12526092288
note key="software.torch" value="2.6.0+cu124"
value key="torch.peak_reserved_bytes" device=-1 value=18446744073709551615
assumed what="nonzero" where="train.py:42" elements=4096 of=8192
)");
}

TEST(Writer, The_worked_example_of_the_format_has_these_bytes) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  writer.phase({writer.name("backward")});
  writer.close();

  std::string bytes = read_bytes(folder.file("t"));
  ASSERT_EQ(bytes.size(), 0xb8U);
  poke<std::uint64_t>(bytes, 0x88, 3840);
  poke<std::uint64_t>(bytes, 0xa8, 4096);
  const std::uint8_t expected[] = {
      0x01, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //
      0x01, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x62, 0x61, 0x63, 0x6b, 0x77, 0x61, 0x72, 0x64,  //
      0x09, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //
      0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  EXPECT_EQ(std::memcmp(bytes.data() + 0x80, expected, sizeof expected), 0);
  EXPECT_EQ(bytes.substr(0, 8), "dryfit\r\n");
  EXPECT_EQ(peek<std::uint64_t>(bytes, 16), bytes.size());
}

TEST(Writer, The_header_says_whose_capture_it_is_and_how_it_ended) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  Reader reader = open_reader(folder.file("t"));
  EXPECT_EQ(reader.capture().pid, getpid());
  EXPECT_EQ(reader.capture().parent, getppid());
  EXPECT_FALSE(reader.capture().closed_cleanly);
  writer.close();
  reader.refresh();
  EXPECT_TRUE(reader.capture().closed_cleanly);
  EXPECT_EQ(reader.capture().incomplete, Incomplete::no);
}

TEST(Writer, Only_the_owner_may_read_the_file) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  struct stat status{};
  ASSERT_EQ(stat(folder.file("t").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  writer.close();
}

TEST(Writer, An_existing_file_is_never_overwritten) {
  const TemporaryFolder folder;
  write_bytes(folder.file("t"), "precious");
  Writer writer;
  EXPECT_EQ(writer.open(folder.file("t").c_str()), std::errc::file_exists);
  writer.step({1});
  EXPECT_EQ(read_bytes(folder.file("t")), "precious");
}

TEST(Writer, A_folder_that_does_not_exist_is_an_error_and_events_are_ignored) {
  Writer writer;
  EXPECT_EQ(writer.open("/no-such-folder/t"), std::errc::no_such_file_or_directory);
  EXPECT_FALSE(writer.is_open());
  writer.step({1});
  writer.counter(writer.name("x")).add();
  writer.close();
}

TEST(Writer, Closing_releases_unused_room) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  writer.step({1});
  EXPECT_GT(std::filesystem::file_size(folder.file("t")), 4096U);
  writer.close();
  EXPECT_EQ(std::filesystem::file_size(folder.file("t")), sizeof(wire::Header) + 24);
}

TEST(Writer, A_relative_path_still_grows_after_the_program_changed_its_folder) {
  const TemporaryFolder folder;
  const int status = run_in_child([&] {
    std::filesystem::current_path(std::filesystem::path(folder.file("t")).parent_path());
    Writer writer;
    if (writer.open("t")) return 1;
    std::filesystem::current_path("/");
    for (std::uint64_t i = 1; i <= 10'000; ++i) writer.step({i});
    writer.close();
    return 0;
  });
  ASSERT_EQ(status, 0);
  Reader reader = open_reader(folder.file("t"));
  EXPECT_EQ(rest_of(reader).size(), 10'000U);
}

TEST(Writer, Names_are_written_once_and_keep_their_ids_in_a_second_file) {
  const TemporaryFolder folder;
  Writer writer;
  const NameId before = writer.name("before");
  ASSERT_FALSE(writer.open(folder.file("a").c_str()));
  const NameId during = writer.name("during");
  EXPECT_EQ(writer.name("before"), before);
  EXPECT_EQ(writer.name(""), NameId{0});
  writer.close();
  ASSERT_FALSE(writer.open(folder.file("b").c_str()));
  writer.note({before, during});
  writer.close();

  Reader reader = open_reader(folder.file("b"));
  EXPECT_EQ(rest_of(reader).size(), 3U);
  EXPECT_EQ(reader.text(before), "before");
  EXPECT_EQ(reader.text(during), "during");
}

TEST(Writer, A_text_beyond_the_limit_is_cut) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  const NameId id = writer.name(std::string(kMaxTextBytes + 5, 'x'));
  writer.close();
  Reader reader = open_reader(folder.file("t"));
  EXPECT_EQ(rest_of(reader).size(), 1U);
  EXPECT_EQ(reader.text(id).size(), kMaxTextBytes);
}

TEST(Writer, A_counter_requested_twice_is_the_same_counter) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  const NameId name = writer.name("copy");
  writer.counter(name).add();
  writer.counter(name).add(2, {512});
  writer.close();
  Reader reader = open_reader(folder.file("t"));
  const auto events = rest_of(reader);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<Counter>(events[1].payload).count, 3U);
  EXPECT_EQ(std::get<Counter>(events[1].payload).bytes, Bytes{512});
}

TEST(Writer, Handles_outlive_the_file_and_the_writer) {
  const TemporaryFolder folder;
  CounterHandle closed, abandoned;
  {
    Writer writer;
    ASSERT_FALSE(writer.open(folder.file("a").c_str()));
    closed = writer.counter(writer.name("copy"));
    writer.close();
    closed.add();
    ASSERT_FALSE(writer.open(folder.file("b").c_str()));
    abandoned = writer.counter(writer.name("copy"));
  }
  closed.add();
  abandoned.add(5);
  Reader first = open_reader(folder.file("a"));
  EXPECT_EQ(std::get<Counter>(rest_of(first).at(1).payload).count, 0U);
  Reader second = open_reader(folder.file("b"));
  EXPECT_EQ(std::get<Counter>(rest_of(second).at(1).payload).count, 5U);
}

TEST(Writer, Threads_lose_nothing) {
  constexpr std::uint64_t kThreads = 4, kEvents = 20'000;
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  const CounterHandle shared = writer.counter(writer.name("shared"));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEvents; ++i) {
        writer.value({writer.name("thread." + std::to_string(i % 50)), static_cast<std::int32_t>(t), i});
        shared.add();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.close();

  Reader reader = open_reader(folder.file("t"));
  std::uint64_t next[kThreads] = {};
  Nanoseconds last = 0;
  while (const auto event = reader.next()) {
    EXPECT_GE(event->time, last);
    last = event->time;
    if (const auto* value = std::get_if<Value>(&event->payload)) {
      ASSERT_EQ(value->value, next[value->device]++);
      ASSERT_EQ(reader.text(value->key), "thread." + std::to_string(value->value % 50));
    } else if (const auto* counter = std::get_if<Counter>(&event->payload)) {
      EXPECT_EQ(counter->count, kThreads * kEvents);
    }
  }
  EXPECT_EQ(reader.damage(), "");
  for (const std::uint64_t count : next) EXPECT_EQ(count, kEvents);
}

}  // namespace
}  // namespace dryfit::trace
