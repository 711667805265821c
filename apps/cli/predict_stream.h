// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// The answer to a line, without its end, and what it means for the exit code.
struct LineAnswer {
  std::string text;
  bool failed = false;
  bool does_not_fit = false;
};

/// The sum of all answers of a stream.
struct StreamTally {
  std::size_t answered = 0;
  std::size_t failed = 0;
  std::size_t does_not_fit = 0;
};

/// Answers line `number`, counted from 1. Called by several threads at once.
using AnswerLine = std::function<LineAnswer(std::string_view line, std::size_t number)>;

/// Answers every line that is not blank, in order. Lines are answered as they arrive, by up to `threads` threads, so
/// that a caller may wait for an answer before it sends the next line. An Error when reading or writing fails.
Result<StreamTally> answer_stream(int input, int output, std::size_t threads, const AnswerLine& answer);

}  // namespace dryfit::cli
