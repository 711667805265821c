// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_models.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const auto size = ::read(fd, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
}

/// What the command prints; its stderr is ours. An Error when it fails.
Result<std::string> output_of(std::vector<std::string> command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{std::string("cannot create a pipe: ") + std::strerror(errno), ""};
  UniqueFd reading(ends[0]), writing(ends[1]);
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{"cannot start '" + command.front() + "': " + std::strerror(error), ""};
  writing = UniqueFd();

  auto text = read_all(reading.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error{"'" + command.front() + "' failed to list its models; its own output is above",
                 "Choose a Python with PyTorch and torchvision, transformers or timm, using --python."};
  }
  return text;
}

}  // namespace

fs::path job_script(const fs::path& hooks) { return hooks / "_dryfit_harvest" / "job.py"; }

Result<ModelCatalogue> models_in(const std::string& python, const fs::path& hooks) {
  const auto text = output_of({python, job_script(hooks).string(), "list"});
  if (!text) return text.error();
  return parse_catalogue(*text);
}

}  // namespace dryfit::cli
