// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/crc64.h"
#include "card/machine.h"
#include "files.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.txt";
constexpr const char* kMachine = "machine.txt";
constexpr const char* kVerdict = "verdict.json";
constexpr const char* kMagic = "dryfit-manifest";
constexpr int kVersion = 1;

struct Stamp {
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// By file name.
using Stamps = std::map<std::string, Stamp>;

Error damaged(const fs::path& file, const std::string& how) {
  return {"cannot tell: '" + file.string() + "' " + how, "Run the job again; a damaged run gives no answer.", true};
}

std::optional<Stamp> stamp_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::array<char, 1 << 16> piece;
  Stamp stamp;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(in.gcount()));
    stamp.size += bytes.size();
    stamp.checksum = crc64(bytes, stamp.checksum);
  }
  return in.bad() ? std::nullopt : std::optional(stamp);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error) && belongs_to_run(entry->path()))
      names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Status seal_folder(const fs::path& folder) {
  std::string text = fmt::format("{} {}\n", kMagic, kVersion);
  for (const auto& name : names_in(folder)) {
    const auto stamp = stamp_of(folder / name);
    if (!stamp) return Error{"cannot read '" + (folder / name).string() + "'", ""};
    text += fmt::format("{} {:016x} {}\n", stamp->size, stamp->checksum, name);
  }
  return write_atomically(folder / kManifest, text + fmt::format("end {:016x}\n", crc64(text)));
}

std::optional<std::string> file_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// The lines above the last one, if that is their checksum.
std::optional<std::string> checked_lines(const std::string& text) {
  const auto end = text.rfind("end ");
  if (end == std::string::npos) return std::nullopt;
  auto lines = text.substr(0, end);
  const bool is_whole = text.substr(end) == fmt::format("end {:016x}\n", crc64(lines));
  return is_whole ? std::optional(std::move(lines)) : std::nullopt;
}

Result<Stamps> parse_manifest(const fs::path& file, const std::string& text) {
  const auto lines = checked_lines(text);
  if (!lines) return damaged(file, "is damaged: its checksum is wrong");
  std::istringstream in(*lines);
  std::string magic;
  int version = 0;
  if (!(in >> magic >> version) || magic != kMagic) return damaged(file, "is not a manifest");
  if (version > kVersion) {
    return Error{
        fmt::format("'{}' has format {}, but this Dryfit reads format {} and older", file.string(), version, kVersion),
        "Read the run with the Dryfit version that wrote it, or a newer one."};
  }
  Stamps stamps;
  Stamp stamp;
  while (in >> std::dec >> stamp.size >> std::hex >> stamp.checksum) {
    std::string name;
    std::getline(in >> std::ws, name);
    stamps[name] = stamp;
  }
  return stamps;
}

Status check_file(const fs::path& file, const Stamp& expected) {
  const auto stamp = stamp_of(file);
  if (!stamp) return damaged(file, "is missing or can't be read");
  if (stamp->size < expected.size) {
    return damaged(file, fmt::format("is cut off: {} of {} bytes are left", stamp->size, expected.size));
  }
  if (*stamp != expected) return damaged(file, "has changed since the run was kept");
  return {};
}

Status check_stamps(const fs::path& folder, const Stamps& stamps) {
  for (const auto& [name, expected] : stamps) {
    if (auto status = check_file(folder / name, expected); !status) return status;
  }
  for (const auto& name : names_in(folder)) {
    if (!stamps.contains(name)) return damaged(folder / name, "was added after the run was kept");
  }
  return {};
}

Status check_machine(const fs::path& file) {
  const auto text = file_text(file);
  if (!text) return {};
  const auto machine = parse_machine(*text);
  if (!machine) return damaged(file, "is damaged: " + machine.error().what);
  return {};
}

Status check_verdict(const fs::path& file) {
  const auto text = file_text(file);
  if (!text || nlohmann::json::parse(*text, nullptr, false).is_object()) return {};
  return damaged(file, "is damaged: it is not a JSON object");
}

Status check_folder(const fs::path& folder) {
  if (const auto text = file_text(folder / kManifest)) {
    const auto stamps = parse_manifest(folder / kManifest, *text);
    return stamps ? check_stamps(folder, *stamps) : Status(stamps.error());
  }
  if (auto status = check_machine(folder / kMachine); !status) return status;
  return check_verdict(folder / kVerdict);
}

/// The folders of the GPUs, then that of the run.
Status for_each_folder(const fs::path& run, Status (*action)(const fs::path&)) {
  std::error_code error;
  for (fs::directory_iterator entry(run, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->is_directory(error)) continue;
    if (auto status = action(entry->path()); !status) return status;
  }
  return action(run);
}

}  // namespace

bool belongs_to_run(const fs::path& file) {
  const auto name = file.filename().string();
  const auto is = [&](const char* prefix, const char* suffix) {
    return name.starts_with(prefix) && name.ends_with(suffix);
  };
  return name == kMachine || name == kVerdict || is("trace-", ".dryfit") || is("history-", ".pickle") ||
         is("marks-", ".json");
}

bool is_kept_file(const fs::path& file) { return belongs_to_run(file) || file.filename() == kManifest; }

Status seal_run(const fs::path& folder) { return for_each_folder(folder, seal_folder); }

Status check_intact(const fs::path& folder) {
  if (auto status = check_folder(folder); !status) return status;
  std::error_code error;
  const auto above = fs::absolute(folder, error).parent_path();
  const bool is_gpu_of_run = !error && fs::exists(folder / kMachine, error) && fs::exists(above / kVerdict, error);
  return is_gpu_of_run ? check_folder(above) : Status();
}

Status check_run(const fs::path& folder) { return for_each_folder(folder, check_folder); }

}  // namespace dryfit::cli
