// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/job.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/unique_fd.h"
#include "launch/job_fixture.h"
#include "trace/writer.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Kind = Ending::Kind;

bool becomes_readable(int fd) {
  struct pollfd watched = {fd, POLLIN, 0};
  return ::poll(&watched, 1, 10'000) == 1;
}

void write_trace_of_done_steps(const fs::path& file) {
  trace::Writer writer;
  ASSERT_FALSE(writer.open(file.c_str()));
  writer.note({writer.name("stop.reason"), writer.name("steps")});
  writer.close();
}

TEST_F(JobTest, A_program_that_ends_by_itself_is_reported_with_its_code) {
  expect_ending(end_of(start(options({"true"}))), Kind::exited, 0);
  expect_ending(end_of(start(shell("exit 7"))), Kind::exited, 7);
}

TEST_F(JobTest, A_program_killed_by_a_signal_is_reported_with_the_signal) {
  expect_ending(end_of(start(shell("kill -SEGV $$"))), Kind::signalled, SIGSEGV);
}

TEST_F(JobTest, Steps_are_done_when_a_trace_says_so_and_the_command_succeeded) {
  write_trace_of_done_steps(directory_ / "run/trace-77.dryfit");
  const JobResult result = end_of(start(options({"true"})));
  expect_ending(result, Kind::steps_done, 0);
  EXPECT_EQ(result.traces, std::vector<fs::path>{directory_ / "run/trace-77.dryfit"});
  expect_ending(end_of(start(options({"false"}))), Kind::exited, 1);
  JobOptions all = options({"true"});
  all.steps = std::nullopt;
  expect_ending(end_of(start(all)), Kind::exited, 0);
}

TEST_F(JobTest, Addresses_are_the_same_in_every_run_where_the_system_allows_it) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::personality(ADDR_NO_RANDOMIZE) < 0 ? 1 : 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (status != 0) GTEST_SKIP() << "this system does not let a process fix its addresses";
  const auto maps = [&](const std::string& name) {
    const auto file = directory_ / name;
    expect_ending(end_of(start(shell("sed -n 's/ .*stack.*/ stack/p' /proc/self/maps > " + file.string()))),
                  Kind::exited, 0);
    return read_file(file);
  };
  const auto first = maps("first");
  EXPECT_NE(first, "");
  EXPECT_EQ(maps("second"), first);
}

TEST_F(JobTest, Files_that_the_guests_leave_are_collected) {
  const JobResult result =
      end_of(start(shell("d=$(dirname $DRYFIT_MACHINE); touch $d/trace-5.dryfit; "
                         "touch $d/history-5.pickle")));
  EXPECT_EQ(result.traces, std::vector<fs::path>{directory_ / "run/trace-5.dryfit"});
  EXPECT_EQ(result.histories, std::vector<fs::path>{directory_ / "run/history-5.pickle"});
}

TEST_F(JobTest, A_command_that_does_not_exist_is_refused) {
  EXPECT_EQ(refusal(options({"no-such-command-anywhere"})).what, "no such command: 'no-such-command-anywhere'");
  EXPECT_EQ(refusal(options({})).what, "no command given");
}

TEST_F(JobTest, A_script_without_an_interpreter_line_is_refused_and_leaves_nothing) {
  write_program(directory_ / "script", "echo hello\n");
  const auto files = open_files();
  const Error error = refusal(options({(directory_ / "script").string()}));
  EXPECT_EQ(error.what, "'" + (directory_ / "script").string() + "' is neither a program nor a script with a #! line");
  EXPECT_EQ(error.hint, "Start it through its interpreter: `bash " + (directory_ / "script").string() + "`.");
  EXPECT_TRUE(fs::is_empty(directory_ / "run"));
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(JobTest, A_file_that_is_not_executable_is_refused) {
  write_file(directory_ / "tool", "");
  EXPECT_EQ(refusal(options({(directory_ / "tool").string()})).what,
            "'" + (directory_ / "tool").string() + "' is not executable");
}

TEST_F(JobTest, An_installation_without_its_driver_is_refused) {
  fs::remove(directory_ / "driver/libcuda.so.1");
  EXPECT_EQ(refusal(options({"true"})).hint, "Install Dryfit again.");
}

TEST_F(JobTest, A_run_directory_that_does_not_exist_is_refused) {
  JobOptions given = options({"true"});
  given.run_directory = directory_ / "missing";
  EXPECT_NE(refusal(given).what.find("cannot write"), std::string::npos);
}

TEST_F(JobTest, The_program_has_our_working_directory_and_process_group) {
  const UniqueFd out(::open((directory_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  JobOptions given = shell("pwd; read -r line < /proc/$$/stat; set -- ${line##*) }; echo $3 $4");
  given.stdout_fd = out.get();
  end_of(start(given));
  EXPECT_EQ(read_file(directory_ / "out"), fs::current_path().string() + "\n" + std::to_string(::getpgrp()) + " " +
                                               std::to_string(::getsid(0)) + "\n");
}

TEST_F(JobTest, The_program_has_the_input_and_outputs_it_was_given) {
  write_file(directory_ / "in", "hello\n");
  const UniqueFd in(::open((directory_ / "in").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd out(::open((directory_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const UniqueFd err(::open((directory_ / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  JobOptions given = shell("cat; echo oops >&2");
  given.stdin_fd = in.get();
  given.stdout_fd = out.get();
  given.stderr_fd = err.get();
  expect_ending(end_of(start(given)), Kind::exited, 0);
  EXPECT_EQ(read_file(directory_ / "out"), "hello\n");
  EXPECT_EQ(read_file(directory_ / "err"), "oops\n");
}

TEST_F(JobTest, Without_an_input_the_program_reads_the_end_of_file) {
  JobOptions given = options({"cat"});
  given.stdin_fd = -1;
  expect_ending(end_of(start(given)), Kind::exited, 0);
}

TEST_F(JobTest, None_of_our_files_is_open_in_the_program) {
  const UniqueFd out(::open((directory_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  JobOptions given = shell("shopt -s nullglob; for f in /proc/$$/fd/*; do readlink $f; done | grep -c socket:");
  given.stdin_fd = -1;
  given.stdout_fd = out.get();
  given.stderr_fd = -1;
  end_of(start(given));
  EXPECT_EQ(read_file(directory_ / "out"), "0\n");
}

TEST_F(JobTest, The_program_learns_where_the_machine_file_is) {
  JobOptions given = shell("cp $DRYFIT_MACHINE $HERE/copy; echo $DRYFIT_STEPS $LD_LIBRARY_PATH > $HERE/seen");
  given.environment.push_back("LD_LIBRARY_PATH=/old");
  given.machine.driver_version = 12080;
  given.steps = 5;
  end_of(start(given));
  EXPECT_EQ(read_file(directory_ / "copy"), to_text(given.machine));
  EXPECT_TRUE(read_file(directory_ / "seen").starts_with("5 " + (directory_ / "driver").string() + ":"));
}

TEST_F(JobTest, A_program_that_ended_in_time_does_not_time_out_because_we_look_late) {
  JobOptions given = options({"true"});
  bool in_time = false;  // on a busy machine the first time-outs are too short
  for (given.timeout = 300ms; !in_time && *given.timeout < kPlenty; *given.timeout *= 2) {
    const auto begin = std::chrono::steady_clock::now();
    Job job = start(given);
    ASSERT_TRUE(becomes_readable(job.wait_fd()));
    in_time = std::chrono::steady_clock::now() - begin < *given.timeout;
    std::this_thread::sleep_until(begin + *given.timeout + 100ms);
    const JobResult result = end_of(std::move(job));
    if (in_time) expect_ending(result, Kind::exited, 0);
  }
  EXPECT_TRUE(in_time);
}

TEST_F(JobTest, The_peak_of_host_memory_is_that_of_the_largest_process) {
  const JobResult small = end_of(start(options({"true"})));
  const JobResult large = end_of(start(shell("head -c 150000000 /dev/zero | tail -c 150000000 | cat > /dev/null")));
  EXPECT_GT(small.host_peak_rss, Bytes{100'000});
  EXPECT_GT(large.host_peak_rss, Bytes{150'000'000});
  EXPECT_LT(large.host_peak_rss, Bytes{1'000'000'000});
}

}  // namespace
}  // namespace dryfit::launch
