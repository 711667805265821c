// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_note.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "kept_runs.h"
#include "own_environment.h"
#include "report/style.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;

std::string age_text(Clock::duration age) {
  const auto seconds = std::max<long long>(0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
  if (seconds < 120) return fmt::format("{} s ago", seconds);
  if (seconds < 2 * 3600) return fmt::format("{} min ago", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h ago", seconds / 3600);
  return fmt::format("{} days ago", seconds / (24 * 3600));
}

std::optional<Clock::time_point> written_at(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return Clock::from_time_t(status.st_mtime);
}

/// A verdict.json, as far as a note needs it.
struct PastRun {
  std::string command;
  Clock::duration age;
  std::string why_unknown;  ///< the reason for "cannot tell"; empty if there is an answer
};

std::optional<PastRun> past_run(const fs::path& verdict, Clock::time_point now) {
  std::ifstream file(verdict, std::ios::binary);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  const auto written = written_at(verdict);
  if (!json.is_object() || !written) return std::nullopt;
  PastRun run{.command = shell_text(json.value("command", std::vector<std::string>())), .age = now - *written};
  for (const auto& result : json.value("results", nlohmann::json::array())) {
    if (result.value("verdict", "") != "cannot-tell") continue;
    run.why_unknown = result.value("reason", "");
    break;
  }
  return run;
}

std::string ending_text(const PastRun& run) {
  return run.why_unknown.empty() ? "" : " It ended in \"cannot tell\": " + report::printable(run.why_unknown) + ".";
}

/// Nobody doubts which run the last one is when it ended a moment ago.
bool is_obvious(const PastRun& last) {
  using namespace std::chrono_literals;
  return last.age < 1min && last.why_unknown.empty();
}

}  // namespace

std::string note_on_run(const std::string& run, const std::vector<std::string>& environment, Clock::time_point now) {
  const auto name = run.substr(0, run.find('/'));
  const auto kept = KeptRuns::in(environment);
  const auto found = named_run(name, environment);
  std::error_code error;
  if (!kept || !found || fs::exists(run, error) || fs::exists(name, error)) return "";
  const auto shown = past_run(*found / "verdict.json", now);
  if (!shown) return "";
  const bool is_last = name == "last";
  const auto unkept = is_last ? kept->unkept() : std::nullopt;
  const auto later = unkept ? past_run(*unkept, now) : std::nullopt;
  if (is_last && !later && is_obvious(*shown)) return "";
  std::string text;
  if (later) {
    text = fmt::format("the last run, `{}` ({}), left nothing to show.{}\n", report::printable(later->command),
                       age_text(later->age), ending_text(*later));
  }
  const auto which = later ? "the run before it" : is_last ? "the last run" : name;
  return text + fmt::format("this is {}: `{}` ({}).{}\n", which, report::printable(shown->command),
                            age_text(shown->age), ending_text(*shown));
}

void print_note_on_run(const std::string& run) {
  const auto note = note_on_run(run, own_environment(), Clock::now());
  for (std::size_t at = 0; at < note.size();) {
    const auto end = note.find('\n', at) + 1;
    std::fprintf(stderr, "dryfit: %s", note.substr(at, end - at).c_str());
    at = end;
  }
}

}  // namespace dryfit::cli
