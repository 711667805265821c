// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/process_tree.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace dryfit::meter {
namespace {

/// Processes come and go while we look, so a chain may even look like a ring.
constexpr int kDeepest = 1000;

/// 0: there is no such process. Its name, in parentheses, may hold anything.
pid_t parent_of(pid_t pid, const std::filesystem::path& proc) {
  std::ifstream file(proc / std::to_string(pid) / "stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

bool descends_from(pid_t pid, pid_t ancestor, const std::filesystem::path& proc) {
  for (int depth = 0; depth < kDeepest && pid > 0; ++depth) {
    pid = parent_of(pid, proc);
    if (pid == ancestor) return true;
  }
  return false;
}

}  // namespace dryfit::meter
