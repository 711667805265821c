// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launch/testing.h"

namespace dryfit::launch {
namespace {

class Command : public testing::Test {
 protected:
  Command() {
    std::filesystem::create_directory(first_);
    std::filesystem::create_directory(second_);
  }
  Result<std::filesystem::path> find(const std::string& name) const {
    return find_command(name, {"PATH=" + first_.string() + ":" + second_.string()});
  }
  Error refusal(const std::string& name) const {
    const auto found = find(name);
    return found ? Error{"found", found->string()} : found.error();
  }

  TemporaryFolder directory_;
  std::filesystem::path first_ = directory_ / "first";
  std::filesystem::path second_ = directory_ / "second";
};

TEST_F(Command, The_first_directory_of_the_path_wins) {
  write_program(second_ / "tool", "#!/bin/sh\n");
  ASSERT_TRUE(find("tool"));
  EXPECT_EQ(*find("tool"), second_ / "tool");
  write_program(first_ / "tool", "#!/bin/sh\n");
  EXPECT_EQ(*find("tool"), first_ / "tool");
}

TEST_F(Command, A_file_that_is_not_executable_is_passed_over_for_one_that_is) {
  write_file(first_ / "tool", "");
  write_program(second_ / "tool", "#!/bin/sh\n");
  EXPECT_EQ(*find("tool"), second_ / "tool");
}

TEST_F(Command, A_directory_is_not_a_command) {
  std::filesystem::create_directory(first_ / "tool");
  EXPECT_EQ(refusal("tool").what, "no such command: 'tool'");
  const std::string path = first_.string();
  EXPECT_EQ(refusal(path).what, "'" + path + "' is a directory, not a command");
}

TEST_F(Command, A_slip_gets_the_command_that_was_meant) {
  write_program(first_ / "python", "#!/bin/sh\n");
  const Error error = refusal("pyhton");
  EXPECT_EQ(error.what, "no such command: 'pyhton'");
  EXPECT_EQ(error.hint, "Did you mean 'python'?");
}

TEST_F(Command, The_hint_for_a_script_without_its_interpreter_says_how_to_start_it) {
  write_file(first_ / "train.py", "");
  const std::string path = (first_ / "train.py").string();
  EXPECT_EQ(refusal("train.py").what, "'" + path + "' is not executable");
  EXPECT_EQ(refusal(path).hint, "Start it through its interpreter: `python " + path + "`.");
  write_file(first_ / "train.sh", "");
  EXPECT_EQ(refusal("train.sh").hint,
            "Start it through its interpreter: `bash " + (first_ / "train.sh").string() + "`.");
  write_file(first_ / "train", "");
  EXPECT_EQ(refusal("train").hint, "Make it executable: `chmod +x " + (first_ / "train").string() + "`.");
}

TEST_F(Command, A_whole_command_line_in_one_word_is_recognised) {
  const Error error = refusal("python train.py");
  EXPECT_EQ(error.what, "no such command: 'python train.py'");
  EXPECT_NE(error.hint.find("separate words"), std::string::npos);
  EXPECT_EQ(refusal("python scripts/train.py").hint, error.hint);
  EXPECT_EQ(refusal("venv/bin/python train.py").hint, error.hint);
}

TEST_F(Command, A_program_out_of_the_users_reach_is_called_that) {
  const auto hidden = directory_ / "hidden";
  std::filesystem::create_directory(hidden);
  write_program(hidden / "python", "#!/bin/sh\n");
  std::filesystem::create_symlink(hidden / "python", first_ / "python");
  write_file(second_ / "tool", "");
  std::filesystem::permissions(directory_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(hidden, std::filesystem::perms::none);
  const auto hint_for_another_user = [&](const std::string& name) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    if (const pid_t child = ::fork(); child == 0) {
      if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
      const auto error = refusal(name);
      const auto text = error.what + "|" + error.hint;
      ::_exit(::write(ends[1], text.data(), text.size()) > 0 ? 0 : 1);
    } else {
      ::waitpid(child, nullptr, 0);
    }
    ::close(ends[1]);
    std::string text(1000, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], text.data(), text.size()), 0)));
    ::close(ends[0]);
    return text;
  };
  for (const auto& name : {(hidden / "python").string(), std::string("python")}) {
    const auto text = hint_for_another_user(name);
    EXPECT_NE(text.find("no access"), std::string::npos) << text;
    EXPECT_EQ(text.find("chmod"), std::string::npos) << text;
  }
  if (::geteuid() == 0) {
    EXPECT_NE(hint_for_another_user("tool").find("Ask its owner"), std::string::npos);
  }
  std::filesystem::permissions(hidden, std::filesystem::perms::owner_all);
}

TEST_F(Command, A_path_that_does_not_exist_is_reported_as_given) {
  EXPECT_EQ(refusal("./missing/tool").what, "no such command: './missing/tool'");
}

TEST_F(Command, No_command_is_an_error) { EXPECT_EQ(refusal("").what, "no command given"); }

TEST_F(Command, Without_a_PATH_the_usual_directories_are_searched) { EXPECT_TRUE(find_command("sh", {})); }

TEST_F(Command, A_missing_interpreter_is_named) {
  write_program(first_ / "tool", "#! /no/such/python -u\nprint()\n");
  EXPECT_EQ(explain_refusal(first_ / "tool", ENOENT).what,
            "'" + (first_ / "tool").string() + "' needs the interpreter '/no/such/python', which does not exist");
}

TEST_F(Command, Windows_line_endings_are_recognised) {
  write_program(first_ / "tool", "#!/bin/sh\r\necho\r\n");
  EXPECT_NE(explain_refusal(first_ / "tool", ENOENT).what.find("Windows line endings"), std::string::npos);
}

TEST_F(Command, A_program_for_another_machine_is_distinguished_from_a_script) {
  write_program(first_ / "binary", "\177ELF\1\1\1");
  write_program(first_ / "script", "echo hello\n");
  EXPECT_NE(explain_refusal(first_ / "binary", ENOEXEC).what.find("another kind of machine"), std::string::npos);
  EXPECT_NE(explain_refusal(first_ / "script", ENOEXEC).what.find("#! line"), std::string::npos);
}

TEST_F(Command, A_limit_that_was_reached_is_named_with_its_command) {
  const auto error = explain_refusal("tool", EMFILE);
  EXPECT_NE(error.what.find("Too many open files"), std::string::npos);
  EXPECT_NE(error.hint.find("ulimit -n"), std::string::npos);
}

TEST_F(Command, An_unusual_refusal_keeps_the_words_of_the_system) {
  EXPECT_EQ(explain_refusal("/bin/tool", ETXTBSY).what, "cannot start '/bin/tool': Text file busy");
  EXPECT_NE(explain_refusal("/bin/tool", E2BIG).what.find("longer than this system allows"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::launch
