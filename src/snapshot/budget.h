// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dryfit::snapshot {

/// So much may be used, and no more. A hostile pickle can refer to one large object from many places; whoever copies or
/// walks through what is referred to pays for it here, so that the whole stays in proportion to the file.
class Budget {
 public:
  explicit Budget(std::uint64_t units) : left_(units) {}

  /// False, for ever: it would be too much.
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
