// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "history/journal.h"
#include "history/schema.h"
#include "history/testing.h"

namespace dryfit::history {
namespace {

using namespace literals;
using testing::full_record;

class HistoryTest : public ::testing::Test {
 protected:
  History opened() {
    auto history = History::open(file_);
    EXPECT_TRUE(history) << (history ? "" : history.error().what);
    return std::move(history).value();
  }

  void execute(const std::string& sql) {
    auto database = Database::open(file_);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute(sql));
  }

  void expect_refused(const char* part) {
    const auto history = History::open(file_);
    ASSERT_FALSE(history);
    EXPECT_NE(history.error().what.find(part), std::string::npos) << history.error().what;
    EXPECT_NE(history.error().what.find("history.db"), std::string::npos);
    EXPECT_FALSE(history.error().hint.empty());
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "history.db";
};

TEST_F(HistoryTest, What_is_recorded_is_found_again_in_the_order_of_time) {
  auto late = full_record("1"), early = full_record("2");
  late.when += 100;
  early.predicted.reset();
  early.step_seconds.reset();
  early.outcome = Outcome::out_of_memory;
  {
    auto history = opened();
    const Record both[] = {late, early};
    EXPECT_EQ(*history.add(both), 2u);
  }
  EXPECT_EQ(*opened().find(), (std::vector<Record>{early, late}));
}

TEST_F(HistoryTest, The_folder_is_made) {
  file_ = folder_ / "new" / "deep" / "history.db";
  EXPECT_TRUE(opened().find()->empty());
}

TEST_F(HistoryTest, The_same_job_from_the_same_host_and_source_is_kept_once) {
  auto history = opened();
  const auto record = full_record();
  EXPECT_EQ(*history.add({&record, 1}), 1u);
  EXPECT_EQ(*history.add({&record, 1}), 0u);
  auto elsewhere = record, otherwise = record, changed = record;
  elsewhere.host = "g2";
  otherwise.source = "nvidia-smi";
  changed.peak = 1_GiB;
  const Record more[] = {elsewhere, otherwise, changed};
  EXPECT_EQ(*history.add(more), 2u);
  EXPECT_EQ(history.find({.job_id = "4711", .host = "g1", .source = "torch"})->front().peak, record.peak);
}

TEST_F(HistoryTest, If_one_record_is_wrong_none_is_kept) {
  auto history = opened();
  auto wrong = full_record("2");
  wrong.peak = 0_B;
  const Record both[] = {full_record("1"), wrong};
  const auto added = history.add(both);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what.find("peak"), std::string::npos);
  EXPECT_TRUE(history.find()->empty());
}

TEST_F(HistoryTest, Records_are_chosen_by_what_is_given) {
  auto history = opened();
  auto first = full_record("1"), second = full_record("2");
  second.card = "t4-16gb";
  second.when += 10;
  const Record both[] = {first, second};
  ASSERT_TRUE(history.add(both));
  EXPECT_EQ(history.find({.card = "t4-16gb"})->size(), 1u);
  EXPECT_EQ(history.find({.since = first.when + 10})->front().job_id, "2");
  EXPECT_EQ(history.find({.before = first.when + 10})->front().job_id, "1");
  EXPECT_EQ(history.find({.name = "nightly"})->size(), 2u);
  EXPECT_TRUE(history.find({.job_id = "1", .card = "t4-16gb"})->empty());
  EXPECT_EQ(*history.remove({.job_id = "1"}), 1u);
  EXPECT_EQ(*history.remove({.job_id = "1"}), 0u);
  EXPECT_EQ(history.find()->front().job_id, "2");
}

TEST_F(HistoryTest, Text_is_data_and_not_SQL) {
  auto history = opened();
  auto record = full_record("'); DROP TABLE records; --");
  record.name = std::string("a\0b\"'", 5);
  ASSERT_TRUE(history.add({&record, 1}));
  EXPECT_EQ(*history.find({.job_id = record.job_id}), std::vector<Record>{record});
}

TEST_F(HistoryTest, A_file_of_a_newer_version_is_refused_and_both_versions_are_named) {
  (void)opened();
  execute("PRAGMA user_version = 9");
  expect_refused("version 9");
  expect_refused("up to 1");
}

TEST_F(HistoryTest, A_file_of_an_older_version_is_brought_to_the_newest) {
  constexpr std::string_view kOlder[] = {"CREATE TABLE things (a)"};
  constexpr std::string_view kNewer[] = {"CREATE TABLE things (a)", "ALTER TABLE things ADD COLUMN b DEFAULT 7"};
  auto database = Database::open(file_);
  ASSERT_TRUE(migrate(*database, kOlder));
  ASSERT_TRUE(database->execute("INSERT INTO things VALUES (1)"));
  ASSERT_TRUE(migrate(*database, kNewer));
  EXPECT_EQ(*database->number("SELECT b FROM things"), 7);
  EXPECT_EQ(*database->number("PRAGMA user_version"), 2);
  EXPECT_FALSE(migrate(*database, kOlder));
}

TEST_F(HistoryTest, A_step_that_fails_leaves_the_file_as_it_was) {
  constexpr std::string_view kBroken[] = {"CREATE TABLE things (a)", "NONSENSE"};
  auto database = Database::open(file_);
  EXPECT_FALSE(migrate(*database, kBroken));
  EXPECT_EQ(*database->number("SELECT count(*) FROM sqlite_master"), 0);
  EXPECT_EQ(*database->number("PRAGMA user_version"), 0);
}

TEST_F(HistoryTest, A_database_of_another_program_is_refused_and_left_alone) {
  execute("CREATE TABLE theirs (a)");
  expect_refused("another program");
  EXPECT_EQ(*Database::open(file_)->number("SELECT count(*) FROM sqlite_master"), 1);
}

TEST_F(HistoryTest, A_file_that_is_not_a_database_is_refused_and_left_alone) {
  const std::string text(2000, 'x');
  std::ofstream(file_) << text;
  expect_refused("not a database");
  EXPECT_EQ(std::filesystem::file_size(file_), text.size());
}

TEST_F(HistoryTest, A_damaged_file_is_an_error_and_not_a_crash) {
  {
    auto history = opened();
    std::vector<Record> many;
    for (int i = 0; i < 200; ++i) many.push_back(full_record(std::to_string(i)));
    ASSERT_TRUE(history.add(many));
  }
  const auto size = std::filesystem::file_size(file_);
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size - 4096, '\xff');
  }
  auto history = History::open(file_);
  const auto records = history ? history->find() : Result<std::vector<Record>>(history.error());
  ASSERT_FALSE(records);
  EXPECT_NE(records.error().what.find("damaged"), std::string::npos) << records.error().what;
  EXPECT_NE(records.error().hint.find(".recover"), std::string::npos);
}

TEST_F(HistoryTest, Damage_that_no_query_meets_is_found_before_anything_is_written) {
  {
    auto history = opened();
    std::vector<Record> many;
    for (int i = 0; i < 200; ++i) many.push_back(full_record(std::to_string(i)));
    ASSERT_TRUE(history.add(many));
  }
  const auto size = std::filesystem::file_size(file_);
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size - 4096));
    file << std::string(4096, '\xff');
  }
  const auto before = std::filesystem::last_write_time(file_);
  const auto history = History::open(file_);
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().hint.find(".recover"), std::string::npos) << history.error().what;
  EXPECT_EQ(std::filesystem::last_write_time(file_), before);
}

TEST_F(HistoryTest, A_disk_without_room_is_not_waited_for) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit no_room{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &no_room);
    auto database = Database::open(file_);
    ::_exit(database && !choose_journal(*database, std::chrono::hours(24)) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(HistoryTest, A_folder_that_cannot_be_written_to_is_named) {
  std::ofstream(folder_ / "file") << "";
  file_ = folder_ / "file" / "history.db";
  const auto history = History::open(file_);
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().hint.find("--history"), std::string::npos);
}

TEST_F(HistoryTest, A_lock_is_waited_for_and_then_named) {
  (void)opened();
  auto holder = Database::open(file_);
  ASSERT_TRUE(holder->execute("BEGIN IMMEDIATE"));
  auto other = Database::open(file_, std::chrono::milliseconds(50));
  const auto transaction = Transaction::begin(*other);
  ASSERT_FALSE(transaction);
  EXPECT_NE(transaction.error().what.find("locked"), std::string::npos);
  EXPECT_NE(transaction.error().hint.find("try again"), std::string::npos);
}

TEST_F(HistoryTest, Several_processes_begin_a_history_and_write_to_it_at_once) {
  constexpr int kProcesses = 6, kRecords = 20;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto history = History::open(file_);
      bool good = static_cast<bool>(history);
      for (int i = 0; good && i < kRecords; ++i) {
        const auto record = full_record(std::to_string(child) + "-" + std::to_string(i));
        const auto added = history->add({&record, 1});
        good = added && *added == 1;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(opened().find()->size(), static_cast<std::size_t>(kProcesses * kRecords));
}

TEST_F(HistoryTest, On_a_disk_of_this_machine_readers_do_not_wait_for_writers) {
  if (is_shared(file_.parent_path())) GTEST_SKIP() << "the temporary folder is shared with other machines";
  auto history = opened();
  auto writer = Database::open(file_);
  ASSERT_TRUE(writer->execute("BEGIN IMMEDIATE; DELETE FROM records"));
  EXPECT_TRUE(history.find());
}

}  // namespace
}  // namespace dryfit::history
