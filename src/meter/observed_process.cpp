// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/observed_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/unique_fd.h"
#include "launch/command.h"

namespace dryfit::meter {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void exec_program(const char* file, char* const* arguments, char* const* environment, const sigset_t& mask,
                               int failure) {
  // We ignore these two; a program relies on their default.
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaction(signal, &usual, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execve(file, arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

pid_t wait_for(pid_t pid, int* status, int flags) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, status, flags);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

/// 0: it runs; else what execve left in errno.
int exec_error(int pipe) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(pipe, &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  return size == sizeof error ? error : 0;
}

}  // namespace

SignalsHeld::SignalsHeld() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Result<ObservedProcess> ObservedProcess::start(const std::vector<std::string>& command,
                                               const launch::Environment& environment, const SignalsHeld& held) {
  const auto file = launch::find_command(command.empty() ? "" : command.front(), environment);
  if (!file) return file.error();
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return launch::explain_refusal(*file, errno);
  const UniqueFd reading(pipe[0]);
  UniqueFd writing(pipe[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto arguments = pointers_to(command);
  const auto variables = pointers_to(environment);
  const pid_t pid = ::fork();
  if (pid == 0) exec_program(file->c_str(), arguments.data(), variables.data(), held.before(), writing.get());
  if (pid < 0) return launch::explain_refusal(*file, errno);
  writing = UniqueFd();
  if (const int error = exec_error(reading.get()); error != 0) {
    wait_for(pid, nullptr, 0);
    return launch::explain_refusal(*file, error);
  }
  return ObservedProcess(pid);
}

std::optional<int> ObservedProcess::reap() {
  int status = 0;
  for (pid_t ended; (ended = wait_for(-1, &status, WNOHANG)) > 0;) {
    if (ended == pid_) status_ = status;
  }
  return status_;
}

void ObservedProcess::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

int shell_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace dryfit::meter
