// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "base/unique_fd.h"

namespace dryfit::cli {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    reading = UniqueFd(ends[0]);
    writing = UniqueFd(ends[1]);
  }
  UniqueFd reading, writing;
};

void write_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto size = ::write(fd, text.data(), text.size());
    ASSERT_GT(size, 0);
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::string read_line(int fd) {
  std::string line;
  char letter = 0;
  while (::read(fd, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t size = 0; (size = ::read(fd, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  return text;
}

LineAnswer echo(std::string_view line, std::size_t number) {
  return {.text = std::to_string(number) + ":" + std::string(line),
          .failed = line == "bad",
          .does_not_fit = line == "large"};
}

/// What comes out for a text.
std::pair<std::string, StreamTally> answers_to(const std::string& text, std::size_t threads = 1,
                                               const AnswerLine& answer = echo) {
  Pipe in, out;
  std::jthread writer([&] {
    write_text(in.writing.get(), text);
    in.writing = UniqueFd();
  });
  std::string answers;
  std::jthread reader([&] { answers = read_all(out.reading.get()); });
  const auto tally = answer_stream(in.reading.get(), out.writing.get(), threads, answer);
  out.writing = UniqueFd();
  reader.join();
  EXPECT_TRUE(tally);
  return {answers, *tally};
}

TEST(PredictStream, Lines_are_answered_in_order) {
  EXPECT_EQ(answers_to("a\nb\nc\n").first, "1:a\n2:b\n3:c\n");
  EXPECT_EQ(answers_to("").first, "");
}

TEST(PredictStream, Blank_lines_are_skipped_and_counted) { EXPECT_EQ(answers_to("\na\n  \r\nb").first, "2:a\n4:b\n"); }

TEST(PredictStream, A_last_line_needs_no_end) { EXPECT_EQ(answers_to("a\nb").first, "1:a\n2:b\n"); }

TEST(PredictStream, Bad_lines_are_counted_and_the_others_answered) {
  const auto [text, tally] = answers_to("bad\na\nlarge\nbad\n");
  EXPECT_EQ(text, "1:bad\n2:a\n3:large\n4:bad\n");
  EXPECT_EQ(tally.failed, 2u);
  EXPECT_EQ(tally.does_not_fit, 1u);
}

TEST(PredictStream, Many_lines_are_answered_by_several_threads_and_stay_in_order) {
  std::string text, expected;
  for (std::size_t i = 1; i <= 50'000; ++i) {
    text += "line " + std::to_string(i) + "\n";
    expected += std::to_string(i) + ":line " + std::to_string(i) + "\n";
  }
  std::atomic<int> at_once = 0, most = 0;
  const auto answer = [&](std::string_view line, std::size_t number) {
    most = std::max<int>(most, ++at_once);
    const auto result = echo(line, number);
    --at_once;
    return result;
  };
  EXPECT_EQ(answers_to(text, 4, answer).first, expected);
  EXPECT_LE(most, 4);
}

TEST(PredictStream, A_caller_may_wait_for_an_answer_before_it_sends_the_next_line) {
  Pipe in, out;
  std::jthread service([&] { EXPECT_TRUE(answer_stream(in.reading.get(), out.writing.get(), 2, echo)); });
  write_text(in.writing.get(), "first\n");
  EXPECT_EQ(read_line(out.reading.get()), "1:first");
  write_text(in.writing.get(), "second\n");
  EXPECT_EQ(read_line(out.reading.get()), "2:second");
  in.writing = UniqueFd();
}

TEST(PredictStream, What_cannot_be_read_or_written_is_an_error) {
  Pipe in;
  EXPECT_EQ(answer_stream(-1, in.writing.get(), 1, echo).error().what, "cannot read the jobs: Bad file descriptor");
  write_text(in.writing.get(), "a\n");
  EXPECT_EQ(answer_stream(in.reading.get(), -1, 1, echo).error().what, "cannot write the answers: Bad file descriptor");
}

}  // namespace
}  // namespace dryfit::cli
