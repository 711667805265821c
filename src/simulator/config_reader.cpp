// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/config_reader.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>

namespace dryfit::simulator {
namespace {

bool is_separator(char c) { return c == ',' || c == ':' || c == '[' || c == ']'; }

std::vector<std::string> split(std::string_view text, bool any_blank) {
  std::vector<std::string> parts;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) parts.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (is_separator(c)) {
      end_word();
      parts.emplace_back(1, c);
    } else if (any_blank ? std::isspace(static_cast<unsigned char>(c)) == 0 : c != ' ') {
      word += c;
    }
  }
  end_word();
  return parts;
}

}  // namespace

ConfigReader::ConfigReader(std::string_view text, TorchVersion version)
    : version_(version), lenient_(version.at_least(2, 10)), parts_(split(text, lenient_)) {}

bool ConfigReader::refuse(std::string_view what, std::string_view kind) {
  if (!error_) {
    error_ = Error{"allocator config: " + std::string(what),
                   "PyTorch " + to_text(version_) + " rejects it too (" + std::string(kind) + ")."};
  }
  return false;
}

bool ConfigReader::not_modelled(std::string_view what) {
  if (!error_) {
    error_ = Error{"allocator config: " + std::string(what) + " not modelled",
                   "PyTorch accepts it, but Dryfit doesn't model it yet. Leave it out."};
  }
  return false;
}

bool ConfigReader::separator(char wanted) {
  ++place_;
  const bool is_right = !at_end() && part() == std::string_view(&wanted, 1);
  if (is_right || (lenient_ && !at_end())) return true;
  const std::string what = std::string("'") + wanted + "' is missing";
  return at_end() && lenient_ ? refuse(what + " at the end", "internal assert") : refuse(what);
}

bool ConfigReader::next_value() {
  ++place_;
  if (!at_end()) return true;
  return lenient_ ? refuse("a value is missing at the end", "internal assert")
                  : refuse("a value is missing at the end");
}

bool ConfigReader::is_next(std::string_view wanted, bool& is) {
  const bool there = place_ + 1 < parts_.size();
  if (!there && lenient_) return refuse("a list has no closing bracket", "internal assert");
  is = there && parts_[place_ + 1] == wanted;
  return true;
}

bool ConfigReader::number(std::uint64_t& value) { return next_value() && number_in(part(), value); }

bool ConfigReader::number_in(const std::string& earlier, std::uint64_t& value) {
  const char* begin = earlier.c_str();
  char* end = nullptr;
  errno = 0;
  bool fits = true;
  if (lenient_) {
    value = std::strtoull(begin, &end, 10);
  } else {
    const long read = std::strtol(begin, &end, 10);
    fits = read >= std::numeric_limits<int>::min() && read <= std::numeric_limits<int>::max();
    value = static_cast<std::uint64_t>(read);
  }
  if (end == begin) return refuse("'" + earlier + "' is not a number", "ValueError");
  if (errno == ERANGE || !fits) return refuse("'" + earlier + "' is too large", "IndexError");
  return true;
}

bool ConfigReader::real(double& value) {
  if (!next_value()) return false;
  const char* begin = part().c_str();
  char* end = nullptr;
  errno = 0;
  value = std::strtod(begin, &end);
  if (end == begin) return refuse("'" + part() + "' is not a number", "ValueError");
  if (errno == ERANGE) return refuse("'" + part() + "' is too large or too small", "IndexError");
  return true;
}

bool ConfigReader::boolean(bool& value) {
  if (!next_value()) return false;
  value = part() == "True";
  return value || part() == "False" || refuse("'" + part() + "' is neither True nor False");
}

bool ConfigReader::skip_value() {
  if (!separator(':') || !next_value()) return false;
  if (part() != "[") return true;
  while (!at_end() && part() != "]") ++place_;
  return !at_end() || refuse("a list has no closing bracket", "internal assert");
}

}  // namespace dryfit::simulator
