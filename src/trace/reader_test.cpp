// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "trace/test_support.h"

namespace dryfit::trace {
namespace {

using namespace testing;

std::string sample_bytes(const TemporaryFolder& folder) {
  Writer writer;
  EXPECT_FALSE(writer.open(folder.file("sample").c_str()));
  write_sample(writer);
  writer.close();
  return read_bytes(folder.file("sample"));
}

/// A record of a kind without payload checks, to be put behind the others.
std::string raw_record(std::uint16_t kind, std::uint32_t size) {
  std::string bytes(size, '\xee');
  poke<std::uint16_t>(bytes, 0, kind);
  poke<std::uint16_t>(bytes, 2, 0);
  poke<std::uint32_t>(bytes, 4, size);
  poke<std::uint64_t>(bytes, 8, 5);
  return bytes;
}

std::string with_record(std::string bytes, const std::string& record) {
  bytes += record;
  poke<std::uint64_t>(bytes, offsetof(wire::Header, committed), bytes.size());
  return bytes;
}

std::string error_of(const TemporaryFolder& folder, std::string_view bytes) {
  write_bytes(folder.file("t"), bytes);
  const auto reader = Reader::open(folder.file("t"));
  return reader ? "" : reader.error().what;
}

std::string damage_of(const TemporaryFolder& folder, std::string_view bytes) {
  write_bytes(folder.file("t"), bytes);
  auto reader = Reader::open(folder.file("t"));
  EXPECT_TRUE(reader) << reader.error().what;
  rest_of(*reader);
  return reader->damage();
}

TEST(Reader, What_is_not_a_trace_is_refused_with_a_reason) {
  const TemporaryFolder folder;
  const std::string sample = sample_bytes(folder);
  EXPECT_NE(error_of(folder, "").find("is empty"), std::string::npos);
  EXPECT_NE(error_of(folder, sample.substr(0, 100)).find("too short"), std::string::npos);
  EXPECT_NE(error_of(folder, std::string(4096, '\0')).find("has no header yet"), std::string::npos);
  EXPECT_NE(error_of(folder, std::string(4096, 'x')).find("is not a Dryfit trace"), std::string::npos);
}

TEST(Reader, A_path_that_cannot_be_read_is_refused_with_a_reason) {
  const TemporaryFolder folder;
  EXPECT_NE(Reader::open(folder.file("none")).error().what.find("No such file"), std::string::npos);
  EXPECT_NE(Reader::open("/").error().what.find("not a regular file"), std::string::npos);
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_NE(Reader::open(folder.file("fifo")).error().what.find("not a regular file"), std::string::npos);
}

TEST(Reader, A_newer_version_is_refused_and_both_versions_are_named) {
  const TemporaryFolder folder;
  std::string bytes = sample_bytes(folder);
  poke<std::uint32_t>(bytes, offsetof(wire::Header, version), 7);
  const std::string error = error_of(folder, bytes);
  EXPECT_NE(error.find("format version 7"), std::string::npos) << error;
  EXPECT_NE(error.find("up to version 1"), std::string::npos) << error;
}

TEST(Reader, A_header_that_contradicts_itself_is_refused) {
  const TemporaryFolder folder;
  const std::string sample = sample_bytes(folder);
  const auto with = [&](std::size_t offset, std::uint32_t value) {
    std::string bytes = sample;
    poke(bytes, offset, value);
    return error_of(folder, bytes);
  };
  EXPECT_NE(with(offsetof(wire::Header, version), 0), "");
  EXPECT_NE(with(offsetof(wire::Header, header_size), 64), "");
  EXPECT_NE(with(offsetof(wire::Header, header_size), 130), "");
  EXPECT_NE(with(offsetof(wire::Header, committed), 8), "");
}

TEST(Reader, A_longer_header_is_skipped_by_its_size) {
  const TemporaryFolder folder;
  std::string bytes = sample_bytes(folder);
  bytes.insert(sizeof(wire::Header), 64, '\x55');
  poke<std::uint32_t>(bytes, offsetof(wire::Header, header_size), sizeof(wire::Header) + 64);
  EXPECT_EQ(damage_of(folder, with_record(bytes, "")), "");
}

TEST(Reader, A_record_of_unknown_kind_is_skipped_and_counted) {
  const TemporaryFolder folder;
  std::string step = raw_record(10, 24);
  poke<std::uint64_t>(step, 16, 9);
  write_bytes(folder.file("t"), with_record(with_record(sample_bytes(folder), raw_record(4711, 48)), step));
  auto reader = Reader::open(folder.file("t"));
  ASSERT_TRUE(reader);
  const auto events = rest_of(*reader);
  EXPECT_EQ(reader->damage(), "");
  EXPECT_EQ(std::get<Step>(events.back().payload).completed, 9U);
  EXPECT_EQ(reader->diagnostics().counts(), (std::map<std::string, std::uint64_t>{{"trace.unknown_record", 1}}));
}

TEST(Reader, A_record_longer_than_its_kind_is_read_without_its_rest) {
  const TemporaryFolder folder;
  std::string step = raw_record(10, 64);
  poke<std::uint64_t>(step, 16, 9);
  EXPECT_EQ(damage_of(folder, with_record(sample_bytes(folder), step)), "");
}

TEST(Reader, Damage_is_named_with_its_place) {
  const TemporaryFolder folder;
  const std::string sample = sample_bytes(folder);
  const std::string at = "record at byte " + std::to_string(sample.size()) + ": ";
  const auto damage = [&](const std::string& record) { return damage_of(folder, with_record(sample, record)); };
  EXPECT_EQ(damage(std::string(16, '\0')), at + "kind 0 with a size of 0 bytes is not a record");
  EXPECT_EQ(damage(raw_record(10, 28)), at + "kind 10 with a size of 28 bytes is not a record");
  EXPECT_EQ(damage(raw_record(10, 16)), at + "too short for its kind");
  EXPECT_EQ(damage(raw_record(1, 24)), at + "too short for its text");
  EXPECT_EQ(damage(raw_record(4, 40)), at + "unknown purpose");
  EXPECT_EQ(damage(raw_record(9, 24)), at + "refers to a name that is not defined yet");
  EXPECT_EQ(damage(raw_record(10, 24).substr(0, 20)), at + "cut off by the end of the file");
  EXPECT_EQ(damage("12345678"), at + "cut off by the end of the file");
  EXPECT_EQ(damage(raw_record(10, kMaxRecordBytes + 8)), at + "kind 10 with a size of 1048584 bytes is not a record");
}

TEST(Reader, A_name_out_of_order_is_damage) {
  const TemporaryFolder folder;
  std::string name = raw_record(1, 24);
  poke<std::uint32_t>(name, 16, 1);
  poke<std::uint32_t>(name, 20, 0);
  EXPECT_NE(damage_of(folder, with_record(sample_bytes(folder), name)).find("out of order"), std::string::npos);
}

TEST(Reader, A_sample_cut_at_any_length_is_read_up_to_its_last_whole_record) {
  const TemporaryFolder folder;
  const std::string sample = sample_bytes(folder);
  std::size_t most = 0;
  for (std::size_t length = 0; length < sample.size(); ++length) {
    write_bytes(folder.file("t"), sample.substr(0, length));
    auto reader = Reader::open(folder.file("t"));
    ASSERT_EQ(static_cast<bool>(reader), length >= sizeof(wire::Header)) << length;
    if (!reader) continue;
    const std::size_t events = rest_of(*reader).size();
    EXPECT_GE(events, most);
    EXPECT_NE(reader->damage(), "") << length;
    most = events;
  }
  EXPECT_GT(most, 15U);
}

TEST(Reader, A_sample_with_any_byte_changed_is_read_without_harm) {
  const TemporaryFolder folder;
  const std::string sample = sample_bytes(folder);
  std::size_t unharmed = 0;
  for (std::size_t place = 0; place < sample.size(); ++place) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = sample;
      bytes[place] = static_cast<char>(bytes[place] ^ change);
      write_bytes(folder.file("t"), bytes);
      auto reader = Reader::open(folder.file("t"));
      if (reader) unharmed += as_text(*reader).find("damaged") == std::string::npos;
    }
  }
  EXPECT_GT(unharmed, sample.size()) << "most bytes are numbers, any of which reads well";
}

TEST(Reader, A_file_still_being_written_is_followed_event_by_event) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  auto reader = Reader::open(folder.file("t"));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->next());
  for (std::uint64_t step = 1; step <= 10'000; ++step) {
    writer.step({step});
    if (step % 100 != 0) continue;
    EXPECT_FALSE(reader->next()) << "nothing new before refresh()";
    reader->refresh();
    const auto events = rest_of(*reader);
    ASSERT_EQ(events.size(), 100U);
    EXPECT_EQ(std::get<Step>(events.back().payload).completed, step);
  }
  writer.close();
  reader->refresh();
  EXPECT_FALSE(reader->next());
  EXPECT_TRUE(reader->capture().closed_cleanly);
  EXPECT_EQ(reader->damage(), "");
}

TEST(Reader, A_file_that_shrinks_while_it_is_read_is_damage_and_not_a_crash) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  for (std::uint64_t step = 1; step <= 50'000; ++step) writer.step({step});
  writer.close();
  auto reader = Reader::open(folder.file("t"));
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->next());
  std::filesystem::resize_file(folder.file("t"), 600'000);
  rest_of(*reader);
  EXPECT_NE(reader->damage().find("became shorter"), std::string::npos) << reader->damage();
  std::filesystem::resize_file(folder.file("t"), 0);
  reader->refresh();
  EXPECT_FALSE(reader->next());
  EXPECT_EQ(reader->diagnostics().counts().at("trace.damaged"), 1U);
}

TEST(Reader, The_fuzzers_corpus_is_read_without_harm) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DRYFIT_SOURCE_DIR "/tests/fuzz/trace")) {
    auto reader = Reader::open(entry.path().string());
    const std::string said = reader ? as_text(*reader) : reader.error().what;
    EXPECT_NE(said, "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3U);
}

}  // namespace
}  // namespace dryfit::trace
