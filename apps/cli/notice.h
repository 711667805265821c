// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "screen.h"

namespace dryfit::cli {

/// A line on a terminal's stderr about what takes long, gone when this object goes.
class Notice {
 public:
  explicit Notice(std::string_view text) : shown_(is_terminal(STDERR_FILENO)) {
    if (shown_) fmt::print(stderr, "dryfit: {}\r", text);
  }
  ~Notice() {
    if (shown_) fmt::print(stderr, "\033[K");
  }
  Notice(const Notice&) = delete;
  Notice& operator=(const Notice&) = delete;

 private:
  bool shown_;
};

}  // namespace dryfit::cli
