// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>

namespace dryfit::cli {

/// Folders (or single files) that go when a signal ends this process: SIGHUP, SIGINT, SIGQUIT or SIGTERM, where that is what the signal
/// would do. Those that are ignored stay ignored. While there is such a folder, SIGPIPE is ignored, so that a report that
/// nobody reads is an error that is noticed when it is written.
class FoldersAtExit {
 public:
  /// Does nothing beyond the first few. Thread-safe.
  static void add(const std::string& folder);
  static void drop(const std::string& folder);

  /// While it lives, this thread takes no signal: between making a folder and adding it.
  class Undisturbed {
   public:
    Undisturbed();
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;
    ~Undisturbed();

   private:
    sigset_t before_;
  };
};

}  // namespace dryfit::cli
