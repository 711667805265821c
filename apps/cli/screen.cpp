// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace dryfit::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The environment decides rather than setlocale(): containers often name a UTF-8 locale that is not installed.
bool locale_is_utf8() {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = variable(name);
    if (!locale.empty()) break;
  }
  std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

report::Style style_for(int fd) {
  const bool colour = is_terminal(fd) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return {.colour = colour, .utf8 = locale_is_utf8(), .columns = columns_of(fd)};
}

std::size_t columns_of(int fd) {
  struct winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string list_text(const std::vector<std::vector<report::Cell>>& rows, std::size_t least) {
  auto style = style_for(STDOUT_FILENO);
  if (is_terminal(STDOUT_FILENO)) return report::fitted(rows, least, style);
  style.columns = std::string::npos;
  return report::aligned(rows, style);
}

int fail(const Error& error, int exit_code) {
  std::fprintf(stderr, "dryfit: %s\n", report::printable(error.what).c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", report::printable(error.hint).c_str());
  return exit_code;
}

bool print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace dryfit::cli
