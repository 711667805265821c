// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "kept_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>

#include "launch/nearest_name.h"
#include "own_environment.h"
#include "run_manifest.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLast = "last";
constexpr const char* kHint = "Make one with `dryfit run`, or name a folder made by `dryfit run --save`.";
constexpr const char* kUnfinished = ".part";
constexpr const char* kUnkept = "unkept.json";

/// Names sort by time: nanoseconds since the epoch, which keep their number of digits for a long time.
std::string new_name() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return std::to_string(nanoseconds) + "-" + std::to_string(::getpid());
}

/// The files of a run, and those in the folders of its GPUs.
void copy(const fs::path& from, const fs::path& to, bool is_outermost) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const auto target = to / entry.path().filename();
    if (entry.is_regular_file() && is_kept_file(entry.path())) fs::copy_file(entry.path(), target);
    if (entry.is_directory() && is_outermost) copy(entry.path(), target, false);
  }
}

/// The number in "last~2"; none if it is not of that form.
std::optional<std::size_t> number_of(std::string_view run) {
  if (run == kLast) return 0;
  constexpr std::string_view kBefore = "last~";
  if (!run.starts_with(kBefore)) return std::nullopt;
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(run.data() + kBefore.size(), run.data() + run.size(), number);
  if (code != std::errc() || end != run.data() + run.size()) return std::nullopt;
  return number;
}

Error unknown_run(const std::string& run) {
  const bool is_slip = launch::edit_distance(run.substr(0, run.find('~')), kLast) == 1;
  return {"there is no run '" + run + "'", is_slip ? did_you_mean(TypedLine::own().with(run, kLast)) : kHint};
}

/// The names of the folders in `folder`, sorted: of a run on several GPUs, those GPUs.
std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::optional<KeptRuns> KeptRuns::in(const std::vector<std::string>& environment) {
  const auto folder = own_cache("runs", environment);
  return folder ? std::optional(KeptRuns(*folder)) : std::nullopt;
}

Status KeptRuns::keep(const fs::path& run) const {
  const auto name = new_name();
  const auto unfinished = folder_ / (name + kUnfinished);
  std::error_code ignored;
  try {
    copy(run, unfinished, true);
    fs::rename(unfinished, folder_ / name);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(unfinished, ignored);
    return Error{error.what(), ""};
  }
  fs::remove(folder_ / kUnkept, ignored);
  const auto kept = all();
  for (std::size_t i = kMost; i < kept.size(); ++i) fs::remove_all(kept[i], ignored);
  return {};
}

void KeptRuns::remember_unkept(const std::string& verdict) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) std::ofstream(folder_ / kUnkept, std::ios::binary) << verdict;
}

std::optional<fs::path> KeptRuns::unkept() const {
  std::error_code error;
  return fs::exists(folder_ / kUnkept, error) ? std::optional(folder_ / kUnkept) : std::nullopt;
}

std::optional<fs::path> KeptRuns::find(std::size_t number) const {
  const auto kept = all();
  return number < kept.size() ? std::optional(kept[number]) : std::nullopt;
}

std::vector<fs::path> KeptRuns::all() const {
  std::vector<fs::path> kept;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const bool is_finished = entry->path().extension() != kUnfinished && entry->path().filename() != kUnkept;
    if (is_finished) kept.push_back(entry->path());
  }
  std::ranges::sort(kept, std::ranges::greater{});
  return kept;
}

Result<fs::path> named_run(const std::string& run, const std::vector<std::string>& environment) {
  std::error_code error;
  if (fs::exists(run, error)) return fs::path(run);
  const auto slash = run.find('/');
  const auto name = run.substr(0, slash);
  const auto number = number_of(name);
  if (!number) return unknown_run(run);
  const auto kept = KeptRuns::in(environment);
  const auto found = kept ? kept->find(*number) : std::nullopt;
  if (!found && *number == 0 && kept && kept->unkept()) {
    return Error{"the last run ended in \"cannot tell\" and left nothing to show", kHint};
  }
  if (!found) {
    return Error{*number == 0 ? "there is no last run yet" : "there is no run '" + name + "': fewer runs are kept",
                 kHint};
  }
  const auto part = slash == std::string::npos ? "" : run.substr(slash + 1);
  const auto path = part.empty() ? *found : *found / part;
  if (fs::exists(path, error)) return path;
  return Error{"there is no '" + part + "' in run '" + name + "'",
               fmt::format("It has: {}.", fmt::join(folders_in(*found), ", "))};
}

}  // namespace dryfit::cli
