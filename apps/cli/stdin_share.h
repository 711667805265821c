// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace dryfit::cli {

/// Gives our stdin to every run of a command, as if each were alone:
///   one run           our stdin itself
///   a terminal        the first run gets it, the others get nothing
///   a file            each gets it opened anew, at our position
///   a pipe or socket  each gets a pipe of its own, fed from what we have read so far (all of it is kept in memory)
/// SIGPIPE must be ignored. Not thread-safe.
class StdinShare {
 public:
  explicit StdinShare(std::size_t runs);

  /// The next run's stdin, to be closed once the run has started; -1 for none. Valid until then.
  struct Given {
    int fd = -1;
    UniqueFd owned;
  };
  Given next();

  /// Descriptors to wait on: for reading if `read`, else for writing.
  struct Interest {
    int fd;
    bool read;
  };
  std::vector<Interest> interests() const;

  /// Moves what can be moved without waiting.
  void pump();

 private:
  enum class Kind { sole, terminal, file, stream };
  struct Reader {
    UniqueFd pipe;
    std::size_t sent = 0;
  };

  static Kind kind_of_stdin(std::size_t runs);
  Given reopened() const;
  Given new_pipe();
  void read_more();
  bool feed(Reader& reader);

  Kind kind_;
  bool first_ = true;
  bool at_end_ = false;
  std::string content_;
  std::vector<Reader> readers_;
};

}  // namespace dryfit::cli
