// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "smi/arguments.h"

#include <charconv>
#include <map>
#include <system_error>

namespace dryfit::smi {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ',') {
      parts.emplace_back();
    } else if (letter != ' ') {
      parts.back() += letter;
    }
  }
  return parts;
}

/// An option that stands alone.
bool take_flag(const std::string& word, Arguments& arguments) {
  static const std::map<std::string, Form> forms{
      {"-L", Form::list},       {"--list-gpus", Form::list}, {"-q", Form::details}, {"--query", Form::details},
      {"topo", Form::topology}, {"-m", Form::topology},      {"-h", Form::help},    {"--help", Form::help},
  };
  const auto form = forms.find(word);
  if (form == forms.end()) return false;
  if (word != "-m" || arguments.form == Form::topology) arguments.form = form->second;
  return word != "-m" || arguments.form == Form::topology;
}

bool take_format(const std::string& value, Arguments& arguments) {
  bool is_csv = false;
  for (const auto& part : split(value)) {
    is_csv |= part == "csv";
    if (part == "noheader") arguments.header = false;
    if (part == "nounits") arguments.units = false;
  }
  return is_csv;
}

/// A number of seconds, or of milliseconds, above zero.
bool take_interval(const std::string& name, const std::string& value, Arguments& arguments) {
  double number = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (code != std::errc() || end != value.data() + value.size() || number <= 0) return false;
  arguments.interval = name.ends_with("ms") ? number / 1000 : number;
  return true;
}

bool take_value(const std::string& name, const std::string& value, Arguments& arguments) {
  if (name == "--query-gpu" || name == "--query-compute-apps") {
    arguments.form = name == "--query-gpu" ? Form::gpus : Form::processes;
    arguments.fields = split(value);
    return true;
  }
  if (name == "--format") return take_format(value, arguments);
  if (name == "-i" || name == "--id") {
    arguments.only = value;
    return true;
  }
  if (name == "-l" || name == "--loop" || name == "-lms" || name == "--loop-ms") {
    return take_interval(name, value, arguments);
  }
  return name == "-d" || name == "--display" || name == "-f" || name == "--filename";
}

}  // namespace

std::optional<Arguments> parse(std::span<const std::string> words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (take_flag(words[i], arguments)) continue;
    const auto equals = words[i].find('=');
    const bool is_joined = equals != std::string::npos;
    if (!is_joined && i + 1 == words.size()) return std::nullopt;
    const auto value = is_joined ? words[i].substr(equals + 1) : words[++i];
    const auto name = is_joined ? words[i].substr(0, equals) : words[i - 1];
    if (!take_value(name, value, arguments)) return std::nullopt;
  }
  return arguments;
}

}  // namespace dryfit::smi
