// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/keeper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "launch/remove_tree.h"

namespace dryfit::launch {
namespace {

constexpr int kRescanMilliseconds = 20;
constexpr int kChannel = 3;

// The program, between fork and exec.

/// Those that a program relies on, and that we or our libraries may have turned off.
bool must_be_restored(int signal) { return signal == SIGPIPE || signal == SIGCHLD || signal == SIGXFSZ; }

/// Our handlers must not run in the program's process. Other ignored signals stay ignored (nohup).
void restore_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN && !must_be_restored(signal)) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// All three are moved out of the way before the first is put in place: any may be another's number.
bool place_standard_fds(const int* given) {
  int moved[3];
  for (int i = 0; i < 3; ++i) {
    moved[i] = ::fcntl(given[i], F_DUPFD_CLOEXEC, kChannel);
    if (moved[i] < 0) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (::dup2(moved[i], i) < 0) return false;
  }
  return true;
}

/// Libraries keep tables that are ordered by address: which of several copies of a kernel the CUDA runtime loads, for
/// one. With addresses that are the same in every run, so is the answer. Where the system forbids it, the program runs
/// with random ones.
void fix_addresses() {
  constexpr unsigned long kQuery = 0xffffffff;
  const int current = ::personality(kQuery);
  if (current >= 0) ::personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE);
}

/// From the program's process to the keeper. When the pipe ends without a `refused` or failed layer, the program runs.
struct StartNews {
  int refused;  ///< errno; 0: the news is of the layer
  LayerNews layer;
};

void send_layer_news(const LayerNews& layer, int pipe) {
  const StartNews news{0, layer};
  [[maybe_unused]] const ssize_t written = ::write(pipe, &news, sizeof news);
}

/// A new user namespace takes back the wish to die with the parent, so this comes after it.
void die_with(pid_t keeper) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);
}

[[noreturn]] void exec_program(const KeeperPlan& plan, pid_t keeper, int news_pipe) {
  const int news = ::fcntl(news_pipe, F_DUPFD_CLOEXEC, kChannel);
  if (!enter_layer(plan.layer, {send_layer_news, news})) ::_exit(127);
  die_with(keeper);
  if (place_standard_fds(plan.standard_fds)) {
    restore_signals();
    fix_addresses();
    ::execve(plan.file, plan.arguments, plan.environment);
  }
  const StartNews refusal{errno, {}};
  [[maybe_unused]] const ssize_t written = ::write(news, &refusal, sizeof refusal);
  ::_exit(127);
}

// The keeper.

void close_from(unsigned first, unsigned last) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  struct rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t fd = first; fd <= last && fd < limit.rlim_cur; ++fd) ::close(static_cast<int>(fd));
}

std::int64_t now_milliseconds() {
  struct timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

class TreeKeeper {
 public:
  /// The channel stays open, and nothing else: another job's channel held here would hide that we ended.
  TreeKeeper(pid_t program, int channel) : program_(program) {
    if (channel != kChannel) ::dup2(channel, kChannel);
    close_from(0, kChannel - 1);
    close_from(kChannel + 1, ~0U);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    child_signal_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void report(KeeperReport::Kind kind, int value) const {
    const KeeperReport packet{kind, value, peak_rss_kib_};
    ::send(kChannel, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void keep_until_gone() {
    while (reap()) {
      if (killing_ && now_milliseconds() > give_up_at_) break;
      if (killing_) kill_children();
      wait_for_news();
    }
    report(KeeperReport::Kind::gone, 0);
  }

  void wait_for_the_end_of_the_channel() const {
    std::int32_t ignored;
    while (::recv(kChannel, &ignored, sizeof ignored, 0) > 0) {
    }
  }

 private:
  /// False when there is no child left.
  bool reap() {
    for (;;) {
      int status = 0;
      struct rusage usage{};
      const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
      if (pid == 0) return true;
      if (pid < 0) return errno != ECHILD;
      peak_rss_kib_ = std::max<std::int64_t>(peak_rss_kib_, usage.ru_maxrss);
      if (pid == program_) {
        program_ = -1;
        report(KeeperReport::Kind::ended, status);
      }
    }
  }

  void wait_for_news() {
    struct pollfd watched[2] = {{channel_open_ ? kChannel : -1, POLLIN, 0}, {child_signal_, POLLIN, 0}};
    ::poll(watched, 2, killing_ ? kRescanMilliseconds : -1);
    if (watched[0].revents != 0) take_order();
    if (watched[1].revents != 0) {
      struct signalfd_siginfo ignored;
      while (::read(child_signal_, &ignored, sizeof ignored) > 0) {
      }
    }
  }

  void take_order() {
    std::int32_t order = 0;
    const ssize_t size = ::recv(kChannel, &order, sizeof order, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size != sizeof order) channel_open_ = false;
    if (!channel_open_ || order == kKillTree) {
      begin_to_kill();
    } else if (program_ > 0) {
      ::kill(program_, order);
    }
  }

  void begin_to_kill() {
    if (killing_) return;
    killing_ = true;
    give_up_at_ = now_milliseconds() + std::chrono::milliseconds(kKillPatience).count();
  }

  /// The kernel's list may miss a child while others come and go; the next round finds it.
  void kill_children() const {
    if (program_ > 0) ::kill(program_, SIGKILL);
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return;
    char text[4096];
    pid_t pid = 0;
    for (ssize_t size; (size = ::read(list, text, sizeof text)) > 0;) {
      for (ssize_t i = 0; i < size; ++i) {
        if (text[i] >= '0' && text[i] <= '9') {
          pid = pid * 10 + (text[i] - '0');
        } else if (pid > 0) {
          ::kill(pid, SIGKILL);
          pid = 0;
        }
      }
    }
    ::close(list);
  }

  pid_t program_;
  int child_signal_ = -1;
  bool channel_open_ = true;
  bool killing_ = false;
  std::int64_t give_up_at_ = 0;
  std::int64_t peak_rss_kib_ = 0;
};

[[noreturn]] void refuse(int channel, int error) {
  const KeeperReport packet{KeeperReport::Kind::refused, error, 0};
  ::send(channel, &packet, sizeof packet, MSG_NOSIGNAL);
  ::_exit(0);
}

void forward(int channel, const LayerNews& news) {
  const KeeperReport packet{KeeperReport::Kind::layer, 0, 0, news};
  ::send(channel, &packet, sizeof packet, MSG_NOSIGNAL);
}

/// The program's process; 0 if it could not enter its layer.
pid_t start_program(const KeeperPlan& plan) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) refuse(plan.channel, errno);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) refuse(plan.channel, errno);
  if (program == 0) exec_program(plan, self, pipe[1]);
  ::close(pipe[1]);
  bool is_outside = false;
  for (StartNews news; ::read(pipe[0], &news, sizeof news) == sizeof news;) {
    if (news.refused != 0) {
      ::waitpid(program, nullptr, 0);
      refuse(plan.channel, news.refused);
    }
    forward(plan.channel, news.layer);
    is_outside |= news.layer.kind == LayerNews::Kind::failed;
  }
  ::close(pipe[0]);
  if (is_outside) ::waitpid(program, nullptr, 0);
  return is_outside ? 0 : program;
}

pid_t start_program_outside(KeeperPlan plan) {
  plan.layer = {};
  return start_program(plan);
}

void allow_children_to_be_reaped() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);
}

}  // namespace

void keep(const KeeperPlan& plan) {
  ::prctl(PR_SET_NAME, "dryfit-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  allow_children_to_be_reaped();

  pid_t program = start_program(plan);
  if (program == 0) program = start_program_outside(plan);
  ::setsid();
  TreeKeeper keeper(program, plan.channel);
  keeper.report(KeeperReport::Kind::started, 0);
  keeper.keep_until_gone();
  if (plan.scratch[0] != '\0') {
    keeper.wait_for_the_end_of_the_channel();
    remove_tree(plan.scratch);
  }
  ::_exit(0);
}

}  // namespace dryfit::launch
