// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_stream.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

namespace dryfit::cli {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

/// For fewer lines a thread costs more than it gains.
constexpr std::size_t kFewLines = 32;

struct Line {
  std::string_view text;
  std::size_t number;
};

/// Text that was read, up to its last whole line.
class Lines {
 public:
  explicit Lines(int input) : input_(input) {}

  /// Waits for at least one line, then takes what is there. False at the end of the input.
  Result<bool> wait() {
    text_.erase(0, taken_);
    taken_ = 0;
    while (!ended_) {
      const bool has_line = text_.find('\n') != std::string::npos;
      if (has_line && (text_.size() >= kBatchBytes || !more_is_there())) break;
      if (auto status = read_piece(); !status) return status.error();
    }
    return !text_.empty();
  }

  /// All lines that wait() has read; they live until its next call.
  std::vector<Line> take() {
    if (ended_ && !text_.ends_with('\n')) text_ += '\n';
    std::vector<Line> lines;
    for (auto end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', taken_)) {
      const auto line = std::string_view(text_).substr(taken_, end - taken_);
      taken_ = end + 1;
      ++number_;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back({line, number_});
    }
    return lines;
  }

 private:
  bool more_is_there() const {
    struct pollfd watched{input_, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
  }

  Status read_piece() {
    const auto before = text_.size();
    text_.resize(before + kPieceBytes);
    const auto size = ::read(input_, text_.data() + before, kPieceBytes);
    text_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (size == 0) ended_ = true;
    if (size < 0 && errno != EINTR) return Error{std::string("cannot read the jobs: ") + std::strerror(errno), ""};
    return {};
  }

  int input_;
  std::string text_;
  std::size_t taken_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false;
};

/// The answers to a few consecutive lines.
struct Part {
  std::string text;
  StreamTally tally;
};

Part answer_part(std::span<const Line> lines, const AnswerLine& answer) {
  Part part;
  for (const auto& line : lines) {
    const auto answered = answer(line.text, line.number);
    part.text += answered.text;
    part.text += '\n';
    ++part.tally.answered;
    part.tally.failed += answered.failed;
    part.tally.does_not_fit += answered.does_not_fit;
  }
  return part;
}

std::vector<Part> answer_all(std::span<const Line> lines, std::size_t threads, const AnswerLine& answer) {
  const auto parts = std::clamp<std::size_t>(lines.size() / kFewLines, 1, threads);
  std::vector<Part> answered(parts);
  const auto work = [&](std::size_t part) {
    const auto begin = lines.size() * part / parts;
    const auto end = lines.size() * (part + 1) / parts;
    answered[part] = answer_part(lines.subspan(begin, end - begin), answer);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t part = 1; part < parts; ++part) helpers.emplace_back(work, part);
  work(0);
  helpers.clear();
  return answered;
}

Status write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const auto size = ::write(output, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Error{std::string("cannot write the answers: ") + std::strerror(errno), ""};
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

}  // namespace

Result<StreamTally> answer_stream(int input, int output, std::size_t threads, const AnswerLine& answer) {
  Lines lines(input);
  StreamTally tally;
  for (;;) {
    const auto more = lines.wait();
    if (!more) return more.error();
    if (!*more) return tally;
    const auto batch = lines.take();
    for (const auto& part : answer_all(batch, threads, answer)) {
      if (auto status = write_all(output, part.text); !status) return status.error();
      tally.answered += part.tally.answered;
      tally.failed += part.tally.failed;
      tally.does_not_fit += part.tally.does_not_fit;
    }
  }
}

}  // namespace dryfit::cli
