// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>

namespace dryfit {

/// What the user can do about an errno that a limit of the shell causes; empty for any other.
inline std::string limit_hint(int error) {
  switch (error) {
    case EMFILE:
      return "Raise the limit on open files, for example `ulimit -n 1024`.";
    case ENFILE:
      return "The whole system has too many open files; end some programs first.";
    case EFBIG:
      return "Raise the limit on the size of files, for example `ulimit -f unlimited`.";
    default:
      return "";
  }
}

}  // namespace dryfit
