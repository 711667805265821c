// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/memory_ledger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/temporary_folder.h"

namespace dryfit {
namespace {

using namespace literals;

constexpr Bytes kCapacity{12ull << 30};
constexpr int kGpu = 3;

/// A child process with a ledger. It does what it is told, one command at a time, so that tests need not wait for time.
class Other {
 public:
  using Command = std::function<bool(MemoryLedger&)>;

  Other(const std::string& path, std::vector<Command> commands) {
    int to_child[2], from_child[2];
    EXPECT_EQ(pipe2(to_child, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(from_child, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) serve(path, commands, to_child[0], from_child[1]);
    close(to_child[0]);
    close(from_child[1]);
    to_ = to_child[1];
    from_ = from_child[0];
  }
  ~Other() {
    kill_now();
    close(to_);
    close(from_);
  }

  pid_t pid() const { return pid_; }

  /// What the next command returned.
  bool next() const {
    const char go = 1;
    char answer = 0;
    EXPECT_EQ(write(to_, &go, 1), 1);
    EXPECT_EQ(read(from_, &answer, 1), 1);
    return answer == 1;
  }

  /// Killed, but not waited for: it is a zombie when this returns.
  void kill_and_leave() const {
    kill(pid_, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

  void kill_now() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  [[noreturn]] static void serve(const std::string& path, const std::vector<Command>& commands, int from, int to) {
    MemoryLedger ledger;
    const bool joined = ledger.join(path.c_str()).problem.empty();
    char go = 0;
    for (const auto& command : commands) {
      if (read(from, &go, 1) != 1) _exit(1);
      const char answer = joined && command(ledger) ? 1 : 0;
      if (write(to, &answer, 1) != 1) _exit(1);
    }
    pause();
    _exit(0);
  }

  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

Other::Command takes(Bytes size) {
  return [size](MemoryLedger& ledger) {
    const MemoryLedger::Turn turn(ledger);
    return ledger.take(kGpu, size, kCapacity);
  };
}

Other::Command gives(Bytes size) {
  return [size](MemoryLedger& ledger) {
    const MemoryLedger::Turn turn(ledger);
    ledger.give(kGpu, size);
    return true;
  };
}

bool finishes(MemoryLedger& ledger) { return ledger.finish(), true; }

class SharedLedger : public testing::Test {
 protected:
  std::string path() const { return (folder_.path() / "ledger").string(); }

  void join() { ASSERT_EQ(ledger_.join(path().c_str()).problem, ""); }

  bool take(Bytes size) { return takes(size)(ledger_); }

  Bytes used() {
    const MemoryLedger::Turn turn(ledger_);
    return ledger_.used(kGpu);
  }

  TemporaryFolder folder_;
  MemoryLedger ledger_;
};

TEST_F(SharedLedger, Two_processes_together_get_no_more_than_the_device_has) {
  join();
  const Other other(path(), {takes(8_GiB), takes(4_GiB)});
  EXPECT_TRUE(other.next());
  EXPECT_FALSE(take(8_GiB)) << "8 of 12 GiB are in use";
  EXPECT_TRUE(take(4_GiB)) << "to the last byte";
  EXPECT_FALSE(other.next());
  EXPECT_EQ(used(), 12_GiB);
}

TEST_F(SharedLedger, What_one_gives_back_another_can_have) {
  join();
  const Other other(path(), {takes(8_GiB), gives(8_GiB)});
  EXPECT_TRUE(other.next());
  EXPECT_FALSE(take(6_GiB));
  EXPECT_TRUE(other.next());
  EXPECT_TRUE(take(6_GiB));
}

TEST_F(SharedLedger, The_others_are_named_with_what_they_hold) {
  join();
  const Other other(path(), {takes(8_GiB)});
  EXPECT_TRUE(other.next());
  EXPECT_FALSE(take(8_GiB));
  EXPECT_EQ(ledger_.others(kGpu), std::vector{(Holding{static_cast<std::uint32_t>(other.pid()), 8_GiB})});
  EXPECT_TRUE(ledger_.others(kGpu + 1).empty()) << "devices are apart";
}

TEST_F(SharedLedger, Devices_are_apart) {
  join();
  const Other other(path(), {takes(12_GiB)});
  EXPECT_TRUE(other.next());
  const MemoryLedger::Turn turn(ledger_);
  EXPECT_TRUE(ledger_.take(kGpu + 1, 12_GiB, kCapacity));
}

TEST_F(SharedLedger, A_killed_process_gives_everything_back_at_once_even_before_it_is_waited_for) {
  join();
  Other other(path(), {takes(8_GiB)});
  EXPECT_TRUE(other.next());
  EXPECT_EQ(used(), 8_GiB);
  other.kill_and_leave();
  EXPECT_TRUE(take(12_GiB));
  EXPECT_EQ(ledger_.take_ended(), std::vector{static_cast<std::uint32_t>(other.pid())});
  EXPECT_TRUE(ledger_.take_ended().empty()) << "told once";
}

TEST_F(SharedLedger, A_process_that_dies_with_the_lock_does_not_keep_it) {
  join();
  Other other(path(), {takes(8_GiB), [](MemoryLedger& ledger) {
                         new MemoryLedger::Turn(ledger);
                         return true;
                       }});
  EXPECT_TRUE(other.next());
  EXPECT_TRUE(other.next());
  other.kill_now();
  EXPECT_TRUE(take(12_GiB));
}

TEST_F(SharedLedger, A_child_forked_without_exec_does_not_hold_its_parents_memory) {
  join();
  int child_of_other[2];
  ASSERT_EQ(pipe(child_of_other), 0);
  Other other(path(), {takes(8_GiB), [&](MemoryLedger& ledger) {
                         const pid_t child = fork();
                         if (child == 0) ledger.forget(), pause();
                         return write(child_of_other[1], &child, sizeof child) == sizeof child;
                       }});
  EXPECT_TRUE(other.next());
  EXPECT_TRUE(other.next());
  pid_t child = 0;
  ASSERT_EQ(read(child_of_other[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_EQ(used(), 8_GiB) << "counted once";
  other.kill_now();
  EXPECT_EQ(used(), 0_B);
  kill(child, SIGKILL);
  close(child_of_other[0]);
  close(child_of_other[1]);
}

TEST_F(SharedLedger, Memory_of_a_process_that_we_ended_stays_in_use_for_those_that_were_there) {
  join();
  Other other(path(), {takes(8_GiB), finishes});
  EXPECT_TRUE(other.next());
  // Its end is in a later tick of the clock than our start; ticks last a hundredth of a second.
  while (ticks_now() == identity_of(getpid())->start) std::this_thread::yield();
  EXPECT_TRUE(other.next());
  other.kill_now();
  EXPECT_EQ(used(), 8_GiB);
  EXPECT_FALSE(take(5_GiB));
}

TEST_F(SharedLedger, Memory_of_a_process_that_we_ended_is_free_for_one_started_later) {
  const auto first = [&] {
    Other other(path(), {takes(8_GiB), finishes});
    EXPECT_TRUE(other.next());
    EXPECT_TRUE(other.next());
    return static_cast<std::uint32_t>(other.pid());
  }();
  const Other later(path(),
                    {[&](MemoryLedger& ledger) { return ledger.take_ended() == std::vector{first}; }, takes(12_GiB)});
  EXPECT_TRUE(later.next());
  EXPECT_TRUE(later.next());
}

TEST_F(SharedLedger, Many_at_once_never_take_more_than_there_is_and_lose_nothing) {
  join();
  constexpr int kProcesses = 4, kRounds = 2000;
  const auto crowd = [](MemoryLedger& ledger) {
    bool sound = true;
    Bytes own;
    for (int i = 0; i < kRounds; ++i) {
      const MemoryLedger::Turn turn(ledger);
      if (ledger.take(kGpu, 4_GiB, kCapacity)) own += 4_GiB;
      sound &= ledger.used(kGpu) <= kCapacity;
      if (i % 3 == 2 && own > 0_B) ledger.give(kGpu, own), own = 0_B;
    }
    if (own > 0_B) gives(own)(ledger);
    return sound;
  };
  std::vector<std::unique_ptr<Other>> others;
  for (int i = 0; i < kProcesses; ++i)
    others.push_back(std::make_unique<Other>(path(), std::vector<Other::Command>{crowd}));
  std::vector<std::thread> threads;
  std::atomic<int> sound = 0;
  for (const auto& other : others) threads.emplace_back([&] { sound += other->next(); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sound, kProcesses);
  EXPECT_EQ(used(), 0_B);
}

TEST_F(SharedLedger, Slots_of_the_dead_are_taken_again) {
  join();
  for (int i = 0; i < 3 * ledger::kSlots; ++i) {
    const Other other(path(), {takes(1_GiB)});
    ASSERT_TRUE(other.next()) << i;
  }
  EXPECT_EQ(used(), 0_B);
}

TEST_F(SharedLedger, A_full_ledger_says_so) {
  std::string problem;
  auto* const file = ledger::open(path().c_str(), problem);
  ASSERT_TRUE(file) << problem;
  const auto self = identity_of(getppid());
  ASSERT_TRUE(self);
  file->header.slots_used = ledger::kSlots;
  for (auto& slot : file->slots) {
    slot.process = self->packed();
    slot.state = ledger::State::held;
  }
  EXPECT_EQ(ledger_.join(path().c_str()).problem, "more than 256 processes use the GPUs at the same time");
  EXPECT_TRUE(take(12_GiB)) << "it counts for itself";
}

TEST_F(SharedLedger, A_place_that_cannot_be_written_says_so_and_the_process_counts_for_itself) {
  EXPECT_NE(ledger_.join("/proc/ledger").problem, "");
  EXPECT_TRUE(take(12_GiB));
  EXPECT_FALSE(take(1_B));
}

TEST_F(SharedLedger, A_limit_on_the_size_of_files_is_a_reason_and_not_a_signal) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    MemoryLedger ledger;
    _exit(ledger.join(path().c_str()).problem.empty() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(SharedLedger, A_process_that_becomes_another_program_leaves_what_it_held) {
  join();
  EXPECT_TRUE(take(8_GiB));
  MemoryLedger after_exec;
  EXPECT_EQ(after_exec.join(path().c_str()).problem, "");
  EXPECT_EQ(after_exec.take_ended(), std::vector{static_cast<std::uint32_t>(getpid())});
  EXPECT_TRUE(takes(12_GiB)(after_exec));
}

TEST_F(SharedLedger, Someone_who_only_looks_sees_who_holds_what) {
  join();
  EXPECT_TRUE(take(2_GiB));
  Other other(path(), {takes(8_GiB)});
  EXPECT_TRUE(other.next());
  const auto* const file = ledger::open_to_read(path().c_str());
  ASSERT_TRUE(file);
  const auto viewer = *identity_of(getpid());
  const auto self = static_cast<std::uint32_t>(getpid()), child = static_cast<std::uint32_t>(other.pid());
  EXPECT_EQ(holdings(*file, kGpu, viewer), (std::vector<Holding>{{self, 2_GiB}, {child, 8_GiB}}));
  other.kill_and_leave();
  EXPECT_EQ(holdings(*file, kGpu, viewer), (std::vector<Holding>{{self, 2_GiB}}));
}

TEST_F(SharedLedger, There_is_nothing_to_look_at_before_a_process_has_joined) {
  EXPECT_FALSE(ledger::open_to_read(path().c_str()));
  std::ofstream(path()) << "too short";
  EXPECT_FALSE(ledger::open_to_read(path().c_str()));
}

TEST(LedgerPath, It_lies_beside_the_machine_file) {
  EXPECT_EQ(ledger::path_beside("/run/1/machine.txt"), "/run/1/ledger");
  EXPECT_EQ(ledger::path_beside("machine.txt"), "ledger");
}

TEST(ProcessIdentity, A_process_is_running_until_it_has_ended_and_another_start_is_another_process) {
  const pid_t child = fork();
  if (child == 0) pause(), _exit(0);
  auto identity = *identity_of(child);
  EXPECT_TRUE(is_running(identity));
  EXPECT_EQ(ProcessIdentity::unpacked(identity.packed()), identity);
  EXPECT_FALSE(is_running({identity.pid, identity.start + 1}));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_running(identity));
  EXPECT_FALSE(identity_of(child));
}

}  // namespace
}  // namespace dryfit
