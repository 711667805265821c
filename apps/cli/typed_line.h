// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// The command line as it was typed, to be shown again with a slip corrected.
class TypedLine {
 public:
  /// `words` without the name of the program.
  explicit TypedLine(std::vector<std::string> words) : words_(std::move(words)) {}

  /// That of this process.
  static TypedLine own();

  const std::vector<std::string>& words() const { return words_; }

  /// Replaces the first of our words (those before "--") that is `word`, or that has it as its option's name, as its
  /// option's value or in a list: `--gpu=a,b`. Without such a word the line stays as it is.
  TypedLine with(std::string_view word, std::string_view replacement) const;

  /// The first word that is `word` replaced by several.
  TypedLine with_word(std::string_view word, const std::vector<std::string>& by) const;

  /// The first word that is `word` in the user's command (after "--", or the first of all without one) replaced.
  TypedLine with_in_command(std::string_view word, std::string_view replacement) const;

  /// With these words after the name of Dryfit's command, the first word.
  TypedLine with_options(const std::vector<std::string>& options) const;

  /// `name` and its value (`--memory 12`, `--memory=12`) replaced by these words, wherever it stands.
  TypedLine with_option_replaced(std::string_view name, const std::vector<std::string>& by) const;

  /// An option of ours, with its value, at the end of the user's command after "--". None without such a command.
  std::optional<TypedLine> with_option_in_command(const std::string& name) const;

  /// The value of an option, wherever it stands.
  std::optional<std::string> value_of(std::string_view name) const;

  /// As a shell reads it: "dryfit run --gpu rtx-4090 -- python 'my train.py'".
  std::string text() const;

 private:
  std::vector<std::string> words_;
};

/// Words as a shell reads them.
std::string shell_text(const std::vector<std::string>& words);

/// "Did you mean `dryfit run …`?"
std::string did_you_mean(const TypedLine& line);

/// The same for `typed` replaced by `meant`; only that name where the line does not have it, because it is in a file.
std::string did_you_mean(const TypedLine& line, std::string_view typed, std::string_view meant);

/// "unknown table 'modules'", with the line that has the nearest of `names`, and what to give instead.
Error unknown_word(const std::string& what, const std::string& typed, const std::set<std::string>& names,
                   const std::string& hint);

}  // namespace dryfit::cli
