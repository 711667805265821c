// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "hook_log.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

constexpr std::string_view kErase = "\r\033[K";
constexpr std::string_view kBack = "\033[K\033[A\r";  ///< to the beginning of the line above

using namespace std::chrono_literals;

constexpr auto kQuietAtFirst = 1s;
constexpr auto kBetweenDrawings = 250ms;

std::string moment_text(std::uint64_t step, std::string_view phase, const std::optional<std::uint64_t>& steps) {
  if (!steps) return fmt::format("step {}, {}", step, phase);
  return fmt::format("step {}/{}, {}", std::min(step, *steps), *steps, phase);
}

/// Time since the hooks last wrote to the file.
HookLog::Seconds since_written(const std::filesystem::path& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  return error ? HookLog::Seconds(0) : std::filesystem::file_time_type::clock::now() - written;
}

std::string time_text(HookLog::Seconds time) {
  const auto seconds = static_cast<long>(time.count() + 0.5);
  return seconds < 120 ? fmt::format("{} s", seconds) : fmt::format("{} min", (seconds + 30) / 60);
}

}  // namespace

std::optional<LiveView::State> LiveView::look(const std::vector<std::filesystem::path>& traces) {
  std::optional<State> most;
  for (const auto& path : traces) {
    auto found = followed_.find(path);
    if (found == followed_.end()) {
      auto reader = trace::Reader::open(path.string());
      if (!reader) continue;
      found = followed_.emplace(path, Followed{std::move(reader).value(), {}}).first;
    }
    auto& [reader, replay] = found->second;
    reader.refresh();
    while (const auto event = reader.next()) replay.apply(*event);
    if (!most || replay.used() > most->used) most = State{replay.now(), replay.used()};
  }
  return most;
}

std::string progress_text(const LiveView::State& state, const std::optional<std::uint64_t>& steps) {
  const auto& now = state.now;
  const auto moment = now.step == 0 ? "loading" : moment_text(now.step, now.phase, steps);
  return fmt::format("{}  {}", moment, to_text(state.used));
}

std::string progress_text(const std::vector<std::filesystem::path>& logs, const std::optional<std::uint64_t>& steps) {
  const auto found = furthest(logs);
  if (!found) return "";
  const auto& [path, log] = *found;
  if (log.saving) return "writing the trace";
  if (log.phase.empty() || log.phase == "load") return "loading";
  const auto left = log.left(steps, log.now + since_written(path));
  const auto moment = moment_text(log.steps + 1, log.phase, steps);
  return left ? fmt::format("{}, about {} left", moment, time_text(*left)) : moment;
}

ProgressLine::ProgressLine() : wanted_(is_terminal(STDERR_FILENO)) {}

bool ProgressLine::due() const {
  const auto now = Clock::now();
  return wanted_ && now - begun_ >= kQuietAtFirst && now - last_ >= kBetweenDrawings;
}

std::string ProgressLine::text_of(const Content& content) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_).count();
  std::string text = fmt::format("dryfit: {}", content.card);
  text += "  " + (content.doing.empty() ? "starting" : content.doing);
  if (content.all > 1) text += fmt::format("  ({} of {} runs done)", content.done, content.all);
  return text + fmt::format("  {} s", seconds);
}

void ProgressLine::draw(const Content& content) {
  last_ = Clock::now();
  drawn_ = true;
  auto text = text_of(content);
  text.resize(std::min(text.size(), columns_of(STDERR_FILENO) - 1));
  fmt::print(stderr, "{}\n{}{}", kErase, text, kBack);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "{}\n{}{}", kErase, kErase, kBack);
  std::fflush(stderr);
}

}  // namespace dryfit::cli
