// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

#include "report/layout.h"
#include "report/style.h"

namespace dryfit::cli {
namespace {

constexpr report::Style kPlain{.colour = false, .utf8 = true, .columns = 80};
constexpr std::size_t kOptionColumn = 26;
constexpr std::size_t kCommandColumn = 12;

std::string paragraph(std::string_view text) { return report::wrapped(text, "", "", kPlain); }

/// `left` and, from `column` on, the text; on the next line if `left` reaches the column.
std::string entry(const std::string& left, std::string_view text, std::size_t column) {
  const std::string indent(column, ' ');
  if (text.empty()) return left + "\n";
  if (report::width(left) + 2 <= column) {
    return report::wrapped(text, report::padded_right(left, column), indent, kPlain);
  }
  return left + "\n" + report::wrapped(text, indent, indent, kPlain);
}

/// The words of a command; a space between quotes separates nothing.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  bool in_quotes = false;
  for (const char c : command) {
    if (c == '\'') in_quotes = !in_quotes;
    if (c == ' ' && !in_quotes) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// An option stays on the line of its value.
std::vector<std::string> with_values(const std::vector<std::string>& words) {
  std::vector<std::string> units;
  for (const auto& word : words) {
    const bool is_value = !units.empty() && units.back().starts_with("-") && units.back() != "--" &&
                          units.back().find(' ') == std::string::npos &&
                          std::isalnum(static_cast<unsigned char>(word[0]));
    if (is_value) units.back() += " " + word;
    if (!is_value) units.push_back(word);
  }
  return units;
}

std::string example(std::string_view line) {
  if (report::width(line) <= kPlain.columns) return std::string(line) + "\n";
  std::string text;
  std::string current = " ";
  for (const auto& word : with_values(shell_words(line))) {
    if (report::width(current + " " + word + " \\") > kPlain.columns) {
      text += current + " \\\n";
      current = "     ";
    }
    current += " " + word;
  }
  return text + current + "\n";
}

bool is_example(std::string_view line) { return line.starts_with("  ") && line.find("dryfit ") != std::string::npos; }

/// "  name   what it means", with the lines that follow below the meaning.
std::string list_entry(std::string_view line) {
  const auto name = line.find("  ", 2);
  const auto meaning = line.find_first_not_of(' ', name);
  if (name == std::string_view::npos || meaning == std::string_view::npos) return std::string(line) + "\n";
  return report::wrapped(line.substr(meaning), line.substr(0, meaning), std::string(meaning, ' '), kPlain);
}

std::string footer_line(std::string_view line) {
  if (line.empty()) return "\n";
  if (is_example(line)) return example(line);
  return line.starts_with("  ") ? list_entry(line) : paragraph(line);
}

std::string footer(const CLI::App& app) {
  std::istringstream lines(app.get_footer());
  std::string text;
  for (std::string line; std::getline(lines, line);) text += footer_line(line);
  return text.empty() ? "" : "\n" + text;
}

std::string option_left(const CLI::Option& option) {
  if (option.get_positional()) return "  " + option.get_name(true, false);
  std::string left = "  ";
  for (const auto& name : option.get_snames()) left += "-" + name + (option.get_lnames().empty() ? "" : ", ");
  if (!option.get_lnames().empty()) left += "--" + option.get_lnames().front();
  if (option.get_type_size() != 0) left += " " + option.get_type_name();
  return left;
}

std::string option_text(const CLI::Option& option) {
  auto text = option.get_description();
  if (option.get_required()) return text + " (required)";
  if (!option.get_default_str().empty()) text += " (default: " + option.get_default_str() + ")";
  return text;
}

std::string options_text(const CLI::App& app, bool positional, const char* heading) {
  auto options = app.get_options([&](const CLI::Option* option) {
    return option->get_positional() == positional && !option->get_group().empty();
  });
  std::ranges::stable_partition(options, [&](const auto* option) { return option != app.get_help_ptr(); });
  std::string text;
  for (const auto* option : options) text += entry(option_left(*option), option_text(*option), kOptionColumn);
  return text.empty() ? "" : "\n" + std::string(heading) + ":\n" + text;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

std::vector<std::string> groups_of(const CLI::App& app) {
  std::vector<std::string> groups;
  for (const auto* command : commands_of(app)) {
    if (std::ranges::find(groups, command->get_group()) == groups.end()) groups.push_back(command->get_group());
  }
  return groups;
}

std::string commands_text(const CLI::App& app) {
  std::string text;
  for (const auto& group : groups_of(app)) {
    text += "\n" + group + ":\n";
    for (const auto* command : commands_of(app)) {
      if (command->get_group() != group) continue;
      text += entry("  " + command->get_name(), command->get_description(), kCommandColumn);
      if (const auto shown = first_example(*command); !shown.empty()) {
        text += std::string(kCommandColumn + 2, ' ') + shown + "\n";
      }
    }
  }
  return text;
}

std::string argument_in_usage(const CLI::Option& option) {
  const auto name = option.get_name(true, false);
  const auto text = option.get_expected_max() > 1 ? name + "..." : name;
  return option.get_required() ? text : "[" + text + "]";
}

std::string full_name(const CLI::App& app) {
  return (app.get_parent() ? full_name(*app.get_parent()) + " " : "") + app.get_name();
}

std::string usage(const CLI::App& app) {
  std::string text = full_name(app);
  if (!commands_of(app).empty()) return text + " COMMAND [OPTIONS]";
  std::string required, arguments;
  for (const auto* option : app.get_options({})) {
    if (option->get_positional()) {
      arguments += " " + argument_in_usage(*option);
    } else if (option->get_required()) {
      required += " " + shown_name(*option);
      if (!option->get_type_name().empty()) required += " " + option->get_type_name();
    }
  }
  return text + required + " [OPTIONS]" + arguments;
}

}  // namespace

std::string Help::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  return paragraph(app->get_description() + ".") + "\n" +
         report::wrapped(usage_.empty() ? usage(*app) : usage_, "Usage: ", "           ", kPlain) +
         commands_text(*app) + options_text(*app, true, "Arguments") + options_text(*app, false, "Options") +
         footer(*app);
}

std::string first_example(const CLI::App& command) {
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (!is_example(line)) continue;
    line.erase(0, 2);
    const auto comment = line.find("  #");
    return comment == std::string::npos ? line : line.substr(0, line.find_last_not_of(' ', comment) + 1);
  }
  return "";
}

std::string shown_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(option.get_positional(), false)
                                     : "--" + option.get_lnames().front();
}

}  // namespace dryfit::cli
