// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "mismatch.h"

namespace dryfit::oracle {

std::string to_text(const Mismatch& mismatch) {
  return "line " + std::to_string(mismatch.line) + ", " + mismatch.column + ": expected " + mismatch.expected +
         ", got " + mismatch.got;
}

}  // namespace dryfit::oracle
