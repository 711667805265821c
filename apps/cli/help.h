// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dryfit::cli {

/// The help of the command and its subcommands, in 80 columns: description, usage, arguments, options, footer.
///
/// Each line of a footer is a paragraph, which is wrapped. One that begins with two spaces is an example or an entry of
/// a list: it keeps its indentation, and a command that is too long continues on the next line after a backslash. The
/// first example is also shown in the list of commands.
///
/// Only an option's first long name is shown; further names are older ones that still work.
class Help : public CLI::FormatterBase {
 public:
  /// `usage` takes the place of the usage line that follows from the options; empty: none does.
  explicit Help(std::string usage = "") : usage_(std::move(usage)) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::string usage_;
};

/// The first example in the footer of `command`, without a comment; empty if there is none.
std::string first_example(const CLI::App& command);

/// The name under which an option is shown: its first long name, otherwise the first of its names.
std::string shown_name(const CLI::Option& option);

}  // namespace dryfit::cli
