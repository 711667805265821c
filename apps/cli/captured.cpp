// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "captured.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace dryfit::cli {
namespace {

std::string content_of(int file) {
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t size; (size = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  return text;
}

int code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<Captured> run_captured(std::vector<std::string> command) {
  const UniqueFd output(::memfd_create("output", MFD_CLOEXEC)), errors(::memfd_create("errors", MFD_CLOEXEC));
  if (!output || !errors)
    return Error{std::string("cannot store the output of a command: ") + std::strerror(errno), ""};
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{"cannot start '" + command.front() + "': " + std::strerror(error), ""};
  const int code = code_of(child);
  return Captured{code, content_of(output.get()), content_of(errors.get())};
}

}  // namespace dryfit::cli
