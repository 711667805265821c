// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/run_directory.h"

#include <gtest/gtest.h>

#include "launch/testing.h"
#include "trace/writer.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

void write_trace(const fs::path& path, std::string_view key, std::string_view value) {
  trace::Writer writer;
  ASSERT_FALSE(writer.open(path.c_str()));
  writer.note({writer.name(key), writer.name(value)});
  writer.close();
}

TEST(RunDirectory, The_machine_file_holds_the_machine) {
  const TemporaryFolder directory;
  const RunDirectory run(directory.path());
  Machine machine;
  machine.driver_version = 12040;
  ASSERT_TRUE(run.write(machine));
  EXPECT_EQ(run.machine_file(), directory / "machine.txt");
  EXPECT_EQ(read_file(run.machine_file()), to_text(machine));
  run.remove_machine();
  EXPECT_FALSE(fs::exists(run.machine_file()));
}

TEST(RunDirectory, The_machine_file_has_an_absolute_path) {
  EXPECT_TRUE(RunDirectory("some/where").machine_file().is_absolute());
}

TEST(RunDirectory, A_full_disk_is_reported_and_leaves_no_file) {
  const TemporaryFolder directory;
  const RunDirectory run(directory.path());
  fs::create_symlink("/dev/full", run.machine_file());
  const Status status = run.write({});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot write '" + run.machine_file().string() + "': No space left on device");
  EXPECT_NE(status.error().hint.find("Free some space"), std::string::npos);
  EXPECT_FALSE(fs::is_symlink(run.machine_file()));
}

TEST(RunDirectory, A_directory_that_cannot_be_written_to_is_reported) {
  const Status status = RunDirectory("/sys").write({});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().hint.find("TMPDIR"), std::string::npos);
}

TEST(RunDirectory, A_missing_directory_is_reported) {
  const TemporaryFolder directory;
  const Status status = RunDirectory(directory / "missing").write({});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().hint.find("create it first"), std::string::npos);
}

TEST(RunDirectory, Files_of_the_guests_are_listed_in_order_of_pid_and_use) {
  const TemporaryFolder directory;
  for (const char* name : {"trace-100.dryfit", "trace-9.dryfit", "trace-9-10.dryfit", "trace-9-2.dryfit",
                           "trace-.dryfit", "trace-9x.dryfit", "trace-9-.dryfit", "trace-9.dryfit.tmp", "machine.txt",
                           "history-12.pickle", "history-3.pickle"}) {
    write_file(directory / name, "");
  }
  const RunDirectory run(directory.path());
  EXPECT_EQ(run.traces(), (std::vector<fs::path>{directory / "trace-9.dryfit", directory / "trace-9-2.dryfit",
                                                 directory / "trace-9-10.dryfit", directory / "trace-100.dryfit"}));
  EXPECT_EQ(run.histories(), (std::vector<fs::path>{directory / "history-3.pickle", directory / "history-12.pickle"}));
}

TEST(RunDirectory, Steps_are_done_when_any_trace_says_so) {
  const TemporaryFolder directory;
  const RunDirectory run(directory.path());
  EXPECT_FALSE(run.steps_done());
  write_file(directory / "trace-1.dryfit", "no trace at all");
  write_trace(directory / "trace-2.dryfit", "stop.reason", "other");
  write_trace(directory / "trace-3.dryfit", "software.torch", "steps");
  EXPECT_FALSE(run.steps_done());
  write_trace(directory / "trace-4.dryfit", "stop.reason", "text");
  EXPECT_TRUE(run.steps_done());
  fs::remove(directory / "trace-4.dryfit");
  write_trace(directory / "trace-5.dryfit", "stop.reason", "steps");
  EXPECT_TRUE(run.steps_done());
}

}  // namespace
}  // namespace dryfit::launch
