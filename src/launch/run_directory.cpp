// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/run_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/limit_hint.h"
#include "base/unique_fd.h"
#include "trace/reader.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

/// 0, or errno.
int write_all(const fs::path& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return errno;
  while (!text.empty()) {
    const ssize_t size = ::write(file.get(), text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return 0;
}

std::string hint_for(int error, const fs::path& directory) {
  const std::string name = "'" + directory.string() + "'";
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "Free some space there, or set TMPDIR to another directory.";
    case EACCES:
    case EROFS:
    case EPERM:
      return "Set TMPDIR to a directory that you can write to.";
    case ENOENT:
    case ENOTDIR:
      return "The directory " + name + " doesn't exist; create it first.";
    default:
      return limit_hint(error);
  }
}

/// Orders files by pid, then by how often that pid was used.
struct FileKey {
  unsigned long pid = 0;
  unsigned long use = 1;
  friend auto operator<=>(const FileKey&, const FileKey&) = default;
};

bool take_number(std::string_view& text, unsigned long& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// The key of "<prefix><pid>[-<use>]<suffix>".
std::optional<FileKey> key_of(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  FileKey key;
  if (!take_number(name, key.pid)) return std::nullopt;
  if (name.starts_with('-')) {
    name.remove_prefix(1);
    if (!take_number(name, key.use)) return std::nullopt;
  }
  if (name != suffix) return std::nullopt;
  return key;
}

bool trace_ended_by_steps(const fs::path& file) {
  auto reader = trace::Reader::open(file.string());
  if (!reader) return false;
  while (const auto event = reader->next()) {
    const auto* note = std::get_if<trace::Note>(&event->payload);
    if (!note || reader->text(note->key) != "stop.reason") continue;
    const auto reason = reader->text(note->value);
    if (reason == "steps" || reason == "text") return true;
  }
  return false;
}

/// The line is written by Telling.dryfit_note.
bool log_ended_by_steps(const fs::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(R"("key": "stop.reason", "text": "steps")") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

RunDirectory::RunDirectory(const fs::path& path) {
  std::error_code error;
  path_ = fs::absolute(path, error);
  if (error) path_ = path;
}

Status RunDirectory::write(const Machine& machine) const {
  const int error = write_all(machine_file(), to_text(machine));
  if (error == 0) return {};
  remove_machine();
  return Error{"cannot write '" + machine_file().string() + "': " + std::strerror(error), hint_for(error, path_)};
}

void RunDirectory::remove_machine() const { ::unlink(machine_file().c_str()); }

void RunDirectory::remove_ledger() const { ::unlink((path_ / "ledger").c_str()); }

bool RunDirectory::graphs_may_be_kept() const {
  std::error_code error;
  return !fs::exists(path_ / "graphs-not-kept", error) && !error;
}

void RunDirectory::remove_inductor_cache() const {
  std::error_code ignored;
  fs::remove_all(inductor_cache(), ignored);
}

std::vector<fs::path> RunDirectory::files(std::string_view prefix, std::string_view suffix) const {
  std::vector<std::pair<FileKey, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (const auto key = key_of(name, prefix, suffix)) found.emplace_back(*key, entry->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [key, path] : found) paths.push_back(std::move(path));
  return paths;
}

bool RunDirectory::steps_done() const {
  return std::ranges::any_of(traces(), trace_ended_by_steps) || std::ranges::any_of(hook_logs(), log_ended_by_steps);
}

}  // namespace dryfit::launch
