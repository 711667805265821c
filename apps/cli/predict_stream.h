// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// A line's answer, without its end, and what it means for the exit code.
struct LineAnswer {
  std::string text;
  bool failed = false;
  bool does_not_fit = false;
};

/// What all answers of a stream come to.
struct StreamTally {
  std::size_t failed = 0;
  std::size_t does_not_fit = 0;
};

/// Answers the line of this number, counted from 1. Called by several threads at once.
using AnswerLine = std::function<LineAnswer(std::string_view line, std::size_t number)>;

/// Answers every line that is not blank, in order. Whatever has arrived is answered at once, by up to `threads`
/// threads, so that a caller may wait for an answer before it asks on. An Error when reading or writing fails.
Result<StreamTally> answer_stream(int input, int output, std::size_t threads, const AnswerLine& answer);

}  // namespace dryfit::cli
