// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/process_tree.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestCommand = 60;
/// Fields of /proc/<pid>/stat, counted from the state, the first after the command in parentheses.
constexpr std::size_t kUserTicks = 11, kSystemTicks = 12, kStarted = 19;

fs::path folder_of_process(pid_t process) { return fs::path("/proc") / std::to_string(process); }

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for (const auto thread : threads_of(process)) {
    std::istringstream list(text_of_file(folder_of_process(process) / "task" / std::to_string(thread) / "children"));
    children.insert(children.end(), std::istream_iterator<pid_t>(list), {});
  }
  return children;
}

}  // namespace

std::optional<ProcessState> parse_process_state(std::string_view line) {
  const auto command_end = line.rfind(')');
  if (command_end == std::string_view::npos) return std::nullopt;
  std::istringstream rest{std::string(line.substr(command_end + 1))};
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() <= kStarted) return std::nullopt;
  return ProcessState{.pid = static_cast<pid_t>(number_in(std::string(line.substr(0, line.find(' '))))),
                      .state = fields[0][0],
                      .cpu_ticks = number_in(fields[kUserTicks]) + number_in(fields[kSystemTicks]),
                      .started_ticks = number_in(fields[kStarted])};
}

std::vector<ProcessState> descendants_of(pid_t root) {
  std::vector<ProcessState> found;
  std::vector<pid_t> parents{root};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const auto child : children_of(parents[i])) {
      const auto state = parse_process_state(text_of_file(folder_of_process(child) / "stat"));
      if (!state) continue;
      found.push_back(*state);
      parents.push_back(child);
    }
  }
  return found;
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of_process(process) / "task", error), end; !error && entry != end;
       entry.increment(error)) {
    threads.push_back(static_cast<pid_t>(number_in(entry->path().filename().string())));
  }
  std::ranges::sort(threads, {}, [&](pid_t thread) { return std::pair(thread != process, thread); });
  return threads;
}

std::optional<std::uint64_t> times_slept(pid_t process, pid_t thread) {
  std::ifstream file(folder_of_process(process) / "task" / std::to_string(thread) / "status");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kName = "voluntary_ctxt_switches:\t";
    if (line.starts_with(kName)) return number_in(line.substr(kName.size()));
  }
  return std::nullopt;
}

std::string command_line_of(pid_t process) {
  auto text = text_of_file(folder_of_process(process) / "cmdline");
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  if (text.size() > kLongestCommand) text = text.substr(0, kLongestCommand) + "…";
  return text;
}

}  // namespace dryfit::launch
