// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dryfit::snapshot {

/// A fixed amount that may be used up. A hostile pickle can refer to one large object from many places; code that
/// copies or walks through references pays for them here, so that the total stays in proportion to the file.
class Budget {
 public:
  explicit Budget(std::uint64_t units) : left_(units) {}

  /// False if it would be too much, and from then on.
  bool spend(std::uint64_t units) {
    if (units > left_) exhausted_ = true;
    if (exhausted_) return false;
    left_ -= units;
    return true;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint64_t left_;
  bool exhausted_ = false;
};

}  // namespace dryfit::snapshot
