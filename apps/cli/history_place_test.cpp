// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history_place.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

TEST(HistoryPlace, The_users_file_comes_first_then_XDG_then_home) {
  EXPECT_EQ(*history_file("mine.db", {"HOME=/home/me"}), "mine.db");
  EXPECT_EQ(*history_file("", {"HOME=/home/me", "XDG_DATA_HOME=/data"}), "/data/dryfit/history.db");
  EXPECT_EQ(*history_file("", {"HOME=/home/me", "XDG_DATA_HOME=relative"}), "/home/me/.local/share/dryfit/history.db");
  EXPECT_EQ(*history_file("", {"HOME=/home/me", "XDG_DATA_HOME="}), "/home/me/.local/share/dryfit/history.db");
}

TEST(HistoryPlace, Without_a_default_the_hint_names_the_option) {
  EXPECT_NE(history_file("", {}).error().hint.find("--history"), std::string::npos);
}

TEST(HistoryPlace, A_missing_history_is_named) {
  EXPECT_NE(existing_history("/nonexistent/h.db", {}).error().what.find("/nonexistent/h.db"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
