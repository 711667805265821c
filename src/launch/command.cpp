// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <vector>

#include "base/limit_hint.h"
#include "launch/nearest_name.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_program(const fs::path& path) { return is_file(path) && ::access(path.c_str(), X_OK) == 0; }

std::vector<fs::path> search_path(const Environment& environment) {
  std::string_view rest = value_of(environment, "PATH").value_or(kDefaultPath);
  std::vector<fs::path> directories;
  for (;;) {
    const std::size_t end = rest.find(':');
    const std::string_view element = rest.substr(0, end);
    directories.emplace_back(element.empty() ? "." : element);
    if (end == std::string_view::npos) return directories;
    rest.remove_prefix(end + 1);
  }
}

std::set<std::string> programs_in(const std::vector<fs::path>& directories) {
  std::set<std::string> names;
  for (const fs::path& directory : directories) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
      if (is_program(entry->path())) names.insert(entry->path().filename().string());
    }
  }
  return names;
}

bool is_python_script(const fs::path& path) { return path.extension() == ".py" && is_file(path); }

std::string start_with(std::string_view interpreter, const fs::path& script) {
  return "Start it through its interpreter: `" + std::string(interpreter) + " " + script.string() + "`.";
}

constexpr const char* kSeparateWords =
    "Pass the command and its arguments as separate words, without quotes around the whole line.";

Error not_found(const std::string& name, const Environment& environment) {
  const std::string what = "no such command: '" + name + "'";
  if (is_python_script(name)) return {what, start_with("python", name)};
  if (name.find(' ') != std::string::npos) {
    return {what, kSeparateWords};
  }
  const std::string nearest = nearest_command(name, environment);
  if (!nearest.empty()) return {what, "Did you mean '" + nearest + "'?"};
  return {what, "Check the spelling, and that its directory is in PATH."};
}

bool is_out_of_reach(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) != 0 && errno == EACCES;
}

/// A link that is seen and whose target is not: the folders of PATH that can't be read at all are passed over.
bool leads_out_of_reach(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored)) && is_out_of_reach(path);
}

Error out_of_reach(const fs::path& path) {
  return {"'" + path.string() + "' is in a folder that you have no access to, or leads there",
          "Give a program that you can run, or ask the owner of that folder for access."};
}

bool is_of_another_user(const fs::path& path) {
  struct stat status{};
  return ::geteuid() != 0 && ::stat(path.c_str(), &status) == 0 && status.st_uid != ::geteuid();
}

Error not_executable(const fs::path& path) {
  const std::string what = "'" + path.string() + "' is not executable";
  if (path.extension() == ".py") return {what, start_with("python", path)};
  if (path.extension() == ".sh") return {what, start_with("bash", path)};
  if (is_of_another_user(path)) return {what + " for you", "Ask its owner for permission, or give another program."};
  return {what, "Make it executable: `chmod +x " + path.string() + "`."};
}

Result<fs::path> check_path(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    const bool is_line = path.string().find(' ') != std::string::npos;
    return Error{"no such command: '" + path.string() + "'",
                 is_line ? kSeparateWords : "This file doesn't exist; check the path."};
  }
  if (is_out_of_reach(path)) return out_of_reach(path);
  if (fs::is_directory(status)) {
    return Error{"'" + path.string() + "' is a directory, not a command", "Give the program to start."};
  }
  if (::access(path.c_str(), X_OK) != 0) return not_executable(path);
  return path;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(128, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line.substr(0, line.find('\n'));
}

/// "/usr/bin/python" from "#! /usr/bin/python -u".
std::string interpreter_of(const std::string& line) {
  if (!line.starts_with("#!")) return "";
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

Error no_format(const fs::path& program) {
  const std::string name = "'" + program.string() + "'";
  if (first_line(program).starts_with("\177ELF")) {
    return {name + " is built for another kind of machine", "Use a build for this machine's processor."};
  }
  return {name + " is neither a program nor a script with a #! line",
          start_with(program.extension() == ".py" ? "python" : "bash", program)};
}

Error no_interpreter(const fs::path& program) {
  const std::string line = first_line(program);
  const std::string interpreter = interpreter_of(line);
  const std::string name = "'" + program.string() + "'";
  if (interpreter.empty()) {
    return {name + " can't start: its loader is not on this machine", "Use a build for this system."};
  }
  if (line.ends_with('\r')) {
    return {name + " has Windows line endings, which break its #! line", "Save it with Unix line endings."};
  }
  return {name + " needs the interpreter '" + interpreter + "', which does not exist",
          "Correct its #! line, or start it through an interpreter that exists."};
}

}  // namespace

Result<fs::path> find_command(const std::string& name, const Environment& environment) {
  if (name.empty()) return Error{"no command given", "Give the program to start, for example `python train.py`."};
  if (name.find('/') != std::string::npos) return check_path(name);
  fs::path refused;
  for (const fs::path& directory : search_path(environment)) {
    const fs::path candidate = directory / name;
    if (is_program(candidate)) return candidate;
    if (refused.empty() && (is_file(candidate) || leads_out_of_reach(candidate))) refused = candidate;
  }
  if (!refused.empty()) return is_out_of_reach(refused) ? out_of_reach(refused) : not_executable(refused);
  return not_found(name, environment);
}

std::string nearest_command(const std::string& name, const Environment& environment) {
  return nearest_name(name, programs_in(search_path(environment)));
}

Error explain_refusal(const fs::path& program, int error) {
  const std::string name = "'" + program.string() + "'";
  switch (error) {
    case ENOEXEC:
      return no_format(program);
    case ENOENT:
      return no_interpreter(program);
    case EACCES:
      return {"this system doesn't allow " + name + " to run",
              "Make sure that its #! interpreter is executable and that its file system isn't mounted noexec."};
    case E2BIG:
      return {"the arguments and environment of " + name + " are longer than this system allows",
              "Shorten the command line, or unset large environment variables."};
    case EAGAIN:
    case ENOMEM:
      return {"cannot start " + name + ": " + std::strerror(error),
              "The limit on processes (ulimit -u) or on memory is reached; end some processes first."};
    default:
      return {"cannot start " + name + ": " + std::strerror(error), limit_hint(error)};
  }
}

}  // namespace dryfit::launch
