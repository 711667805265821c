// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

Error cannot(const std::string& what, const fs::path& path) {
  return {"cannot " + what + " '" + path.string() + "': " + std::strerror(errno), ""};
}

/// Whether an unfinished last line is ours: every row begins with its key. Anything else is not ours to remove.
bool is_cut_off(std::string_view line) {
  constexpr std::string_view kBeginning = R"({"key":")";
  return line.starts_with(kBeginning.substr(0, line.size())) || line.starts_with(kBeginning);
}

}  // namespace

std::string key_in(const std::string& line) {
  // Rows are long, and there are many: keep only the key.
  const auto keep = [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    return depth > 1 ? false : event != nlohmann::json::parse_event_t::key || parsed == "key";
  };
  const auto json = nlohmann::json::parse(line, keep, false);
  if (!json.is_object() || !json.contains("key") || !json["key"].is_string()) return "";
  return json["key"].get<std::string>();
}

Result<HarvestFile> HarvestFile::open(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!fd) return cannot("write", path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{"another `dryfit harvest` is writing to '" + path.string() + "'",
                 "Wait for it to finish, or choose another file with --out."};
  }
  HarvestFile file(path, std::move(fd));
  if (const auto status = file.read_keys(); !status) return status.error();
  return file;
}

Status HarvestFile::read_keys() {
  std::ifstream input(path_, std::ios::binary);
  std::string line;
  off_t whole = 0;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    if (input.eof() && is_cut_off(line)) {
      if (::ftruncate(fd_.get(), whole) != 0) return cannot("repair", path_);
      break;
    }
    const auto key = input.eof() ? "" : key_in(line);
    if (key.empty()) {
      return Error{path_.string() + ":" + std::to_string(number) + ": not a row written by dryfit harvest",
                   "Choose a new file with --out, or remove the line."};
    }
    keys_.insert(key);
    whole += static_cast<off_t>(line.size() + 1);
  }
  return {};
}

Status HarvestFile::append(const std::string& key, std::string_view line) {
  const std::string text = std::string(line) + "\n";
  const auto before = ::lseek(fd_.get(), 0, SEEK_END);
  ssize_t written = 0;
  do {
    written = ::write(fd_.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) {
    keys_.insert(key);
    return {};
  }
  if (written >= 0) errno = ENOSPC;
  const auto error = cannot("write", path_);
  if (before >= 0) [[maybe_unused]]
    const int ignored = ::ftruncate(fd_.get(), before);
  return error;
}

}  // namespace dryfit::cli
