// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dryfit::oracle {

/// Where a replay first differs from what was recorded.
struct Mismatch {
  std::uint64_t line = 0;  ///< of the file, from 1
  std::string column;
  std::string expected;
  std::string got;
};

/// "line 12, reserved: expected 2097152, got 4194304"
std::string to_text(const Mismatch& mismatch);

/// The result of comparing one file.
struct Comparison {
  std::uint64_t operations = 0;
  std::uint64_t mismatches = 0;  ///< operations with at least one wrong column
  std::optional<Mismatch> first;

  /// A wrong column; several in one operation count once.
  void add(Mismatch mismatch) {
    if (!first) first = std::move(mismatch);
    wrong_ = true;
  }
  /// Ends the operation.
  void count_operation() {
    ++operations;
    if (wrong_) ++mismatches;
    wrong_ = false;
  }
  /// A difference in the file as a whole, not in one operation.
  void count_file() {
    if (wrong_) ++mismatches;
    wrong_ = false;
  }

 private:
  bool wrong_ = false;
};

}  // namespace dryfit::oracle
