// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "base/unique_fd.h"
#include "launch/job_fixture.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using Kind = Ending::Kind;

constexpr uid_t kNobody = 65534;

/// Runs in a process of its own, as an ordinary user where the tests are run by root. What it returns is what failed.
std::string as_ordinary_user(const std::function<std::string()>& work) {
  int channel[2];
  if (::pipe(channel) != 0) return "no pipe";
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool changed =
        ::geteuid() != 0 || (::setresgid(kNobody, kNobody, kNobody) == 0 &&
                             ::setresuid(kNobody, kNobody, kNobody) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0);
    std::string text = changed ? "" : "cannot become an ordinary user";
    try {
      if (changed) text = work();
    } catch (const std::exception& error) {
      text = error.what();
    }
    [[maybe_unused]] const auto size = ::write(channel[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(channel[1]);
  std::string text(4096, '\0');
  const auto size = ::read(channel[0], text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  ::close(channel[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status == 0 ? text : "it was killed";
}

/// Everything about the files below a folder that a program could have changed.
std::string state_of(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat status{};
    ::lstat(entry.path().c_str(), &status);
    lines.push_back(entry.path().string() + " " + std::to_string(status.st_mode) + " " +
                    std::to_string(status.st_nlink) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
                    std::to_string(status.st_mtim.tv_nsec) + " " +
                    (S_ISREG(status.st_mode) ? read_file(entry.path()) : ""));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

class JobLayerTest : public JobTest {
 protected:
  JobLayerTest() {
    fs::create_directories(directory_ / "home/old/deep");
    fs::create_directory(directory_ / "scratch");
    write_file(directory_ / "home/log", "before\n");
    write_file(directory_ / "home/old/deep/file", "precious\n");
    fs::create_symlink("log", directory_ / "home/link");
    fs::permissions(directory_.path(), fs::perms::all);
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
      if (!entry.is_symlink()) fs::permissions(entry.path(), fs::perms::all);
      give(entry.path());
    }
    before_ = state_of(home());
  }

  /// To the ordinary user.
  static void give(const fs::path& path) {
    const int given = ::geteuid() == 0 ? ::lchown(path.c_str(), kNobody, kNobody) : 0;
    EXPECT_EQ(given, 0);
  }

  fs::path home() const { return directory_ / "home"; }

  JobOptions harmless(const std::string& script) const {
    auto given = shell("cd $HERE/home; " + script);
    given.hold_writes_back = true;
    given.run_directory = directory_ / (::geteuid() == 0 ? "run" : "run2");
    given.environment.insert(given.environment.begin(), "TMPDIR=" + (directory_ / "scratch").string());
    given.environment.push_back("OUT=" + (directory_ / "users/us").string());
    return given;
  }

  /// "" if the program ended with 0 and left nothing, or what went wrong.
  std::string trouble_with(const std::string& script) const {
    const auto result = end_of(start(harmless(script)));
    if (result.writes && !result.writes->held_back) return "not held back: " + result.writes->why_not;
    if (result.ending.kind != Kind::exited || result.ending.code != 0) {
      return "ended with " + std::to_string(result.ending.code);
    }
    return what_is_left();
  }

  std::string what_is_left() const {
    if (!fs::is_empty(directory_ / "scratch")) return "a scratch folder is left";
    return state_of(home()) == before_ ? "" : "files were changed";
  }

  void expect_harmless(const std::string& script) const {
    EXPECT_EQ(trouble_with(script), "") << script;
    EXPECT_EQ(as_ordinary_user([&] { return trouble_with(script); }), "") << "as an ordinary user: " << script;
  }

  std::string before_;
};

TEST_F(JobLayerTest, What_a_program_writes_can_be_read_back_and_is_gone_with_it) {
  expect_harmless("echo new > log && echo other > file && [ $(cat log) = new ] && [ $(cat file) = other ]");
}

TEST_F(JobLayerTest, Every_way_to_change_a_file_leaves_it_as_it_was) {
  expect_harmless("echo more >> log && grep -q before log");
  expect_harmless("rm -r old && [ ! -e old ] && mkdir old && [ -z \"$(ls old)\" ]");
  expect_harmless("mv log moved && [ ! -e log ] && grep -q before moved");
  expect_harmless("ln log second && echo x >> second && grep -q x log");
  expect_harmless("chmod 000 log && touch -d 2001-01-01 old/deep/file");
  expect_harmless("truncate -s 1 log && [ $(stat -c %s log) = 1 ]");
  expect_harmless("echo x > link && [ $(cat log) = x ] && rm link && [ ! -e link ]");
}

TEST_F(JobLayerTest, A_folder_of_the_users_below_one_of_another_user_can_be_written_to) {
  fs::create_directories(directory_ / "users/us");
  give(directory_ / "users/us");
  EXPECT_EQ(as_ordinary_user([&] { return trouble_with("echo x > $OUT/file && [ -e $OUT/file ]"); }), "");
  EXPECT_TRUE(fs::is_empty(directory_ / "users/us"));
}

TEST_F(JobLayerTest, Small_files_of_another_group_in_the_working_directory_can_be_changed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of a group that the user is not in by default";
  ASSERT_EQ(::chown(directory_.file("home/log").c_str(), kNobody, 0), 0);
  ASSERT_EQ(::chown(directory_.file("home/old").c_str(), kNobody, 0), 0);
  before_ = state_of(home());
  const auto trouble = as_ordinary_user([&]() -> std::string {
    fs::current_path(home());
    const auto result = end_of(start(harmless("echo x >> log && grep -q before log && echo y > old/new")));
    if (result.ending.code != 0 || !result.writes) return "it failed";
    return result.writes->files == 2 ? what_is_left() : std::to_string(result.writes->files) + " files";
  });
  EXPECT_EQ(trouble, "");
}

TEST_F(JobLayerTest, Temporary_files_work_and_vanish) {
  expect_harmless("f=$(mktemp) && echo x > $f && [ $(cat $f) = x ]");
  expect_harmless("f=$(mktemp -p /tmp dryfit-layer-test-XXXXXX) && [ -e $f ]");
  for (const auto& entry : fs::directory_iterator("/tmp")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("dryfit-layer-test-"));
  }
}

TEST_F(JobLayerTest, Children_and_daemons_write_into_the_layer_too) {
  expect_harmless(
      "sh -c 'echo x > log' && (setsid sh -c 'echo y > old/deep/file; echo z > done' &) ; "
      "until [ -e done ]; do sleep 0.01; done; [ $(cat old/deep/file) = y ]");
}

TEST_F(JobLayerTest, The_user_and_the_working_directory_are_the_same_as_outside) {
  expect_harmless("[ $PWD = $(pwd -P) ] && [ $(id -u) = " + std::to_string(::geteuid()) +
                  " -o $(id -u) = 65534 ] && [ -O /proc/self ]");
}

TEST_F(JobLayerTest, A_program_that_may_not_write_somewhere_still_may_not) {
  const auto trouble = as_ordinary_user([&] { return trouble_with("! touch /usr/dryfit-layer-test 2> /dev/null"); });
  EXPECT_EQ(trouble, "");
}

TEST_F(JobLayerTest, The_run_directory_and_open_descriptors_stay_real) {
  const UniqueFd output(::open(directory_.file("output").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  auto given = harmless("echo trace > $HERE/run/trace-1.dryfit; echo printed; echo x > $HERE/new");
  given.stdout_fd = output.get();
  const auto result = end_of(start(std::move(given)));
  EXPECT_EQ(result.traces.size(), 1U);
  EXPECT_EQ(read_file(directory_ / "output"), "printed\n");
  EXPECT_FALSE(fs::exists(directory_ / "new"));
}

TEST_F(JobLayerTest, What_was_written_is_counted_with_the_largest_file) {
  const auto result = end_of(start(harmless(
      "head -c 5000 /dev/zero > large; echo x >> log; rm old/deep/file; mkdir __pycache__; echo > __pycache__/a.pyc")));
  ASSERT_TRUE(result.writes);
  EXPECT_TRUE(result.writes->held_back) << result.writes->why_not;
  EXPECT_EQ(result.writes->files, 2U);
  EXPECT_EQ(result.writes->removed, 1U);
  EXPECT_EQ(result.writes->bytes, (Bytes{5000 + 9}));
  EXPECT_EQ(result.writes->largest, Bytes{5000});
  EXPECT_EQ(result.writes->largest_file, fs::canonical(home()) / "large");
}

TEST_F(JobLayerTest, Two_jobs_side_by_side_do_not_see_each_other) {
  auto second = harmless("read ready; [ $(cat log) = before ]");
  second.run_directory = directory_ / "run2";
  int go[2];
  ASSERT_EQ(::pipe2(go, O_CLOEXEC), 0);
  const UniqueFd reading(go[0]), writing(go[1]);
  second.stdin_fd = reading.get();
  auto waiting = start(std::move(second));
  auto first = start(harmless("echo x > log; : > $HERE/run/written; [ $(cat log) = x ]"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "run/written"); }));
  ASSERT_EQ(::write(writing.get(), "go\n", 3), 3);
  expect_ending(end_of(std::move(waiting)), Kind::exited, 0);
  expect_ending(end_of(std::move(first)), Kind::exited, 0);
  EXPECT_EQ(what_is_left(), "");
}

TEST_F(JobLayerTest, A_killed_program_leaves_nothing) {
  auto given = harmless("echo x > log; : > $HERE/run/ready; sleep 1000");
  {
    const Job job = start(std::move(given));
    ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "run/ready"); }));
  }
  EXPECT_EQ(what_is_left(), "");
}

TEST_F(JobLayerTest, If_we_are_killed_the_keeper_removes_the_layer) {
  const pid_t us = ::fork();
  if (us == 0) {
    auto job = start(harmless("echo x > log; mkdir locked; chmod 000 locked; : > $HERE/run/ready; sleep 1000"));
    job.poll(kPlenty);
    ::_exit(0);
  }
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "run/ready"); }));
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(wait_until([&] { return fs::is_empty(directory_ / "scratch"); }));
  EXPECT_EQ(what_is_left(), "");
}

/// As root of a user namespace with nobody else in it.
bool enter_user_namespace() {
  const auto only_us = "0 " + std::to_string(::geteuid()) + " 1", our_group = "0 " + std::to_string(::getegid()) + " 1";
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", only_us);
  write_file("/proc/self/gid_map", our_group);
  return ::geteuid() == 0;
}

TEST_F(JobLayerTest, In_a_user_namespace_there_is_a_layer_too) {
  const auto trouble = as_ordinary_user([&]() -> std::string {
    if (!enter_user_namespace()) return "no user namespace";
    return trouble_with("echo x > log && rm -r old && mkdir old && [ -z \"$(ls old)\" ]");
  });
  EXPECT_EQ(trouble, "");
}

/// From now on, this process cannot get a mount namespace: it is in a user namespace that allows none.
bool give_up_mount_namespaces() {
  if (!enter_user_namespace()) return false;
  const UniqueFd limit(::open("/proc/sys/user/max_mnt_namespaces", O_WRONLY | O_CLOEXEC));
  return limit && ::write(limit.get(), "0", 1) == 1;
}

TEST_F(JobLayerTest, Without_a_layer_the_program_runs_and_the_reason_is_given) {
  const auto trouble = as_ordinary_user([&]() -> std::string {
    if (!give_up_mount_namespaces()) return "mount namespaces are still allowed";
    const auto result = end_of(start(harmless("echo x > log")));
    if (result.ending.code != 0 || !result.writes || result.writes->held_back) return "not the expected end";
    return result.writes->why_not;
  });
  EXPECT_EQ(trouble, "a user namespace was refused (No space left on device)");
  EXPECT_EQ(read_file(home() / "log"), "x\n");
  EXPECT_TRUE(fs::is_empty(directory_ / "scratch"));
}

}  // namespace
}  // namespace dryfit::launch
