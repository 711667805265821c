// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "command_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "launch/command.h"
#include "launch/nearest_name.h"
#include "named_cards.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_python(const std::string& program) {
  const auto name = fs::path(program).filename().string();
  return name.starts_with("python") && name.find_first_not_of("python3.0123456789") == std::string::npos;
}

/// The script that Python is to run, if that is plain: only flags without a value stand before it.
std::optional<std::string> script_of(const std::vector<std::string>& command) {
  if (command.empty() || !is_python(command.front())) return std::nullopt;
  constexpr std::string_view kFlags = "bBdEiIOPqsSuv";
  for (std::size_t i = 1; i < command.size(); ++i) {
    const auto& word = command[i];
    if (word.ends_with(".py") && !word.starts_with("-")) return word;
    const bool is_flag = word.size() > 1 && word[0] == '-' && word.find_first_not_of(kFlags, 1) == std::string::npos;
    if (!is_flag) return std::nullopt;
  }
  return std::nullopt;
}

std::string nearest_script(const fs::path& typed) {
  std::set<std::string> names;
  std::error_code error;
  const auto folder = typed.has_parent_path() ? typed.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".py") names.insert(entry->path().filename().string());
  }
  const auto nearest = launch::nearest_name(typed.filename().string(), names, 1);
  return nearest.empty() ? "" : (typed.parent_path() / nearest).string();
}

Error no_script(const std::string& script, const TypedLine& line) {
  const auto nearest = nearest_script(script);
  return {"no such file: '" + script + "'", nearest.empty() ? "Check the path of the script: Python would not find it."
                                                            : did_you_mean(line.with_in_command(script, nearest))};
}

/// The place of the user's command in a line: what follows "--"; without one a program or a script that is named as the first
/// argument, or behind options with their values.
std::size_t begin_of_command(const std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes != words.end()) return static_cast<std::size_t>(dashes - words.begin()) + 1;
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with("-")) {
    const bool has_value =
        at + 1 < words.size() && !words[at + 1].ends_with(".py") && words[at].find('=') == words[at].npos;
    at += has_value ? 2 : 1;
  }
  return std::min(at, words.size());
}

/// `dryfit run … train.py` with the interpreter that is missing.
TypedLine with_interpreter(const std::string& script, const TypedLine& line) {
  auto words = line.words();
  auto at = std::ranges::find(words, script);
  const bool has_dashes = std::find(words.begin(), at, "--") != at;
  at = words.insert(at, "python");
  if (!has_dashes) words.insert(at, "--");
  return TypedLine(words);
}

Error no_interpreter(const std::string& script, const TypedLine& line) {
  return {"'" + script + "' is a script, not a program", did_you_mean(with_interpreter(script, line))};
}

/// `NAME=value python train.py`, as a shell would take it.
bool sets_variable(const std::string& word) {
  const auto equals = word.find('=');
  return equals != std::string::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// What else the first word of the command can be than a program; the hint has the line that was meant.
std::optional<Error> not_a_program(const Error& error, const std::string& word, const TypedLine& line) {
  if (sets_variable(word)) {
    return Error{"'" + word + "' sets a variable, which needs env before it",
                 did_you_mean(line.with_word(word, {"env", word}))};
  }
  if (word.find(' ') != std::string::npos) return Error{error.what, did_you_mean(line.with_word(word, words_of(word)))};
  const auto gpus = line.value_of("--gpu");
  if (!gpus || !names_a_card(word)) return std::nullopt;
  return Error{error.what,
               did_you_mean(line.with_word(word, {}).with_option_replaced("--gpu", {"--gpu", *gpus + "," + word}))};
}

Error with_line(Error error, const std::string& nearest, const std::string& program, const TypedLine& line) {
  if (!nearest.empty() && program.find('/') == std::string::npos) {
    error.hint = did_you_mean(line.with_in_command(program, nearest));
  }
  return error;
}

/// With the interpreter before a script alone, and with an example where there is no command.
TypedLine with_command(const TypedLine& line) {
  auto words = line.words();
  const auto begin = begin_of_command(words);
  if (begin < words.size()) return words[begin].ends_with(".py") ? with_interpreter(words[begin], line) : line;
  if (words.empty() || words.back() != "--") words.emplace_back("--");
  words.insert(words.end(), {"python", "train.py"});
  return TypedLine(words);
}

}  // namespace

Status parse_steps(const std::string& text, std::optional<std::uint64_t>& steps) {
  if (text == "all") {
    steps.reset();
    return {};
  }
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) {
    const auto corrected = TypedLine::own().with_option_replaced("--steps", {"--steps", "3"});
    return Error{"'" + text + "' is not a number of steps",
                 "Give a whole number from 1, or all, for example `" + corrected.text() + "`."};
  }
  steps = number;
  return {};
}

Error no_command(const TypedLine& line) {
  const bool needs_gpu = !line.words().empty() && line.words().front() != "profile" && !line.value_of("--gpu");
  const auto complete = with_command(needs_gpu ? line.with_options({"--gpu", "rtx-4090"}) : line);
  return {"no command to run", "Put it at the end, for example `" + complete.text() + "`."};
}

TypedLine with_whole_command(const TypedLine& line) {
  const auto& words = line.words();
  const bool needs_one = !words.empty() && (words.front() == "run" || words.front() == "profile");
  return needs_one ? with_command(line) : line;
}

Status check_program(const std::vector<std::string>& command, const launch::Environment& environment,
                     const TypedLine& line) {
  const auto& program = command.front();
  const auto found = launch::find_command(program, environment);
  if (!found && program.ends_with(".py") && is_file(program)) return no_interpreter(program, line);
  if (!found) {
    if (const auto other = not_a_program(found.error(), program, line)) return *other;
  }
  if (!found) return with_line(found.error(), launch::nearest_command(program, environment), program, line);
  const auto script = script_of(command);
  return script && !is_file(*script) ? Status(no_script(*script, line)) : Status();
}

}  // namespace dryfit::cli
